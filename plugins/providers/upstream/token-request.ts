import { Cancellation, type Clock, ProviderError } from 'deflector'
import { type FailureFacts, statusFailure } from './failure.ts'
import { type Connections, type Request, request } from './http.ts'
import { parsedJson } from './parsed-json.ts'
import { readError } from './reply.ts'

/** Milliseconds for a token. */
const TIME_LIMIT = 10_000

export interface TokenRequest extends Pick<Request, 'method' | 'url' | 'headers' | 'body'> {
  /** Instance name, for messages. */
  readonly name: string
  /** What no message may show. */
  readonly secrets: FailureFacts['secrets']
}

/** What is given for a credential: parsed JSON, `undefined` for anything else. No client's leaving ends it, as others may wait for the same token. */
export async function requestToken(
  { name, secrets, ...asked }: TokenRequest,
  { connections, clock }: { readonly connections: Connections; readonly clock: Clock },
): Promise<unknown> {
  const cancellation = new Cancellation()
  const giveUp = clock.after(TIME_LIMIT, () =>
    cancellation.cancel(
      new ProviderError('timeout', `${name} got no token in ${TIME_LIMIT / 1000} s`, { unsent: true }),
    ),
  )
  try {
    const reply = await request(connections, { ...asked, baseHeaders: {}, client: {}, cancellation })
    if (reply.status === 200) return parsedJson((await reply.bytes()).toString('utf8'))
    const text = await readError(reply)
    const facts = { name: `the token of ${name}`, dialect: '', now: clock.now(), secrets }
    throw statusFailure({ status: reply.status, headers: reply.headers, text }, facts)
  } finally {
    giveUp()
  }
}
