import {
  type Answer,
  type Dialect,
  type Exchange,
  type Frame,
  isObject,
  parseLargeJson,
  seenBy,
  type VendorState,
  type VendorWork,
  withFacts,
} from 'deflector'
import { dataIn } from 'deflector/formats/sse'
import type { HeldStates } from './held-states.ts'
import type { OpenWork } from './open-work.ts'

/** Bytes above which an answer is worth the turns of the event loop. */
const LARGE = 128 << 10
/** Only what happens around an answer's content can name state. */
const CONTENT: ReadonlySet<string> = new Set(['text', 'reasoning', 'refusal', 'tool_call', 'tool_args'])

/** What is remembered of vendors: who may refer to what they hold, and what goes on there. */
export interface Keeping {
  readonly states: HeldStates
  readonly works: OpenWork
}

/**
 * The answer of a request that is about state. What it made is remembered before its client can read of it, and what the
 * request deleted is forgotten.
 */
export async function withState(
  exchange: Exchange,
  answer: Answer,
  state: VendorState,
  { states, works }: Keeping,
): Promise<Answer> {
  const { dialect } = exchange.prompt
  const { provider } = answer.facts
  const [id] = state.refers
  if (dialect.bodiless && dialect.workIn && answer.kind === 'bytes' && id) {
    const { bytes } = answer
    await works.looked(exchange, id, async () => workIn(dialect, await parsed(bytes)))
  }
  if (state.ends) await Promise.all([works.forget(state.refers), states.forget(state.refers)])
  // What another dialect made is held under an id that this client never reads.
  if (!state.creates || provider === undefined || !dialect.stateIn || formatOf(answer, dialect.name) !== dialect.name)
    return answer
  const remember = async (...bodies: readonly unknown[]): Promise<void> => {
    if (state.goesOn)
      for (const body of bodies) {
        const work = workIn(dialect, body)
        if (work && answer.kind === 'live') works.streams(exchange, work)
        else if (work) await works.answered(exchange, work)
      }
    const ids = bodies.flatMap(body => (isObject(body) ? (dialect.stateIn?.(body) ?? []) : []))
    if (ids.length > 0) await states.remember(exchange, provider, ids)
  }
  const held = state.essential === true ? {} : { held: true }
  switch (answer.kind) {
    case 'live':
      return seenBy(answer, held, frame => (isContent(frame) ? undefined : remember(...dataIn(frame.wire).map(jsonIn))))
    case 'whole':
      if (answer.wire) await remember(await parsed(answer.wire.bytes))
      return withFacts(answer, held)
    case 'bytes':
      await remember(await parsed(answer.bytes))
      return answer
  }
}

const workIn = ({ workIn: read }: Dialect, body: unknown): VendorWork | undefined =>
  isObject(body) ? read?.(body) : undefined

/** Other operations than chat are served in their client's dialect only. */
const formatOf = (answer: Answer, own: string): string | undefined =>
  answer.kind === 'bytes' ? own : answer.kind === 'live' ? answer.format : answer.wire?.format

const isContent = ({ events }: Frame): boolean => events.length > 0 && events.every(({ type }) => CONTENT.has(type))

function parsed(bytes: Uint8Array): unknown {
  return bytes.length > LARGE
    ? parseLargeJson(bytes, { repeats: 'last' }).catch(() => undefined)
    : jsonIn(Buffer.from(bytes).toString('utf8'))
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
