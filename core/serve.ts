import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Format, ReplyFacts } from './chat/format.ts'
import { readPrompt } from './chat/prompt.ts'
import { replay } from './chat/replay.ts'
import { GatewayError, toGatewayError } from './errors.ts'
import type { Answer, LiveAnswer, Prompt, WholeAnswer } from './exchange.ts'
import type { Flow } from './flow.ts'
import type { Call, Outlet } from './host.ts'
import type { OpenExchange } from './open-exchange.ts'

/** A replayed stream goes out in writes of about this many characters; its events stay apart. */
const WRITE_SIZE = 16_384

/** What a generation wants to know of the calls on their way. */
export interface Watch {
  track(closed: Promise<void>): void
  /** Calls `run` when time is up at shutdown; the function given back takes it away again. */
  onCut(run: () => void): () => void
}

/** One chat call from its body to its last byte: read, handled by the flow, replied in the client's dialect. */
export async function serve(
  flow: Flow,
  call: Call,
  format: Format,
  open: (read: () => Promise<Prompt>) => OpenExchange,
  watch: Watch,
): Promise<void> {
  let outlet: Outlet | undefined
  let late: NodeJS.Timeout | undefined
  const exchange = open(async () => {
    const prompt = await readPrompt(call, format)
    if (prompt.stream) late = setTimeout(beginEarly, call.headWaitMs)
    return prompt
  })
  const begin = (): Outlet => {
    outlet ??= call.open(replyHeaders(exchange), format.keepAlive)
    return outlet
  }
  /** The status is settled then: whatever goes wrong afterwards is an event of the stream. */
  function beginEarly(): void {
    if (exchange.failure) return
    exchange.layer = 'l3'
    begin()
  }
  const { answer: answering, closed } = flow.handle(exchange)
  watch.track(closed)
  let cut = false
  const fail = async (failure: GatewayError): Promise<void> => {
    if (cut) return
    if (!outlet) {
      sendError(call, format, failure, exchange.layer)
      return
    }
    await outlet.write(format.encodeStreamError(failure, exchange.id))
    outlet.end()
  }
  const uncut = watch.onCut(() => {
    void fail(new GatewayError('draining', 'the gateway is shutting down'))
    cut = true
  })
  try {
    const answer = await answering
    clearTimeout(late)
    if (!answer) {
      // Every 502 bears the last layer's label, also where the flow has no such layer.
      exchange.layer = 'l3'
      throw new GatewayError('unanswered', 'no layer of this flow could answer')
    }
    if (!cut) await reply({ call, exchange, format, answer, begin })
  } catch (error) {
    clearTimeout(late)
    await fail(toGatewayError(error))
  } finally {
    uncut()
  }
}

interface Replying<A extends Answer = Answer> {
  readonly call: Call
  readonly exchange: OpenExchange
  readonly format: Format
  readonly answer: A
  /** The stream; its head may have had to go out before the answer came. */
  readonly begin: () => Outlet
}

async function reply({ answer, ...to }: Replying): Promise<void> {
  if (answer.kind === 'live') {
    if (to.exchange.prompt.stream) return streamLive({ ...to, answer })
    return sendWhole({ ...to, answer: await drained(answer) })
  }
  return to.exchange.prompt.stream ? streamWhole({ ...to, answer }) : sendWhole({ ...to, answer })
}

/** A live answer is written at the pace of its fastest reader: who wants it whole has to read. */
async function drained(answer: LiveAnswer): Promise<WholeAnswer> {
  for await (const _ of answer.frames());
  return answer.whole
}

function sendWhole({ call, exchange, format, answer }: Replying<WholeAnswer>): void {
  const facts = factsOf(exchange)
  const headers = replyHeaders(exchange)
  headers['content-type'] = 'application/json; charset=utf-8'
  if (answer.wire?.format !== format.name) {
    call.send(200, headers, JSON.stringify(format.encodeAnswer(answer.completion, facts)))
  } else {
    const firstHand =
      exchange.answer === answer && !exchange.deflected && !answer.joined && answer.staleSecs === undefined
    call.send(200, headers, firstHand ? answer.wire.bytes : format.reissue(answer.wire.bytes, facts))
  }
}

async function streamWhole({ call, exchange, format, answer, begin }: Replying<WholeAnswer>): Promise<void> {
  const encoder = format.streamEncoder(exchange.prompt, factsOf(exchange))
  const { completion } = answer
  const stream = begin()
  let text = ''
  for (const event of replay(completion)) {
    text += encoder.push(event)
    if (text.length < WRITE_SIZE) continue
    await stream.write(text)
    text = ''
    await nextTurn()
    if (call.cancellation.cancelled) return stream.end()
  }
  await stream.write(text)
  stream.end()
}

async function streamLive({ call, exchange, format, answer, begin }: Replying<LiveAnswer>): Promise<void> {
  const { prompt } = exchange
  const encoder = answer.format === format.name ? undefined : format.streamEncoder(prompt, factsOf(exchange))
  const stream = begin()
  for await (const frame of answer.frames()) {
    if (call.cancellation.cancelled) break
    const text = encoder ? frame.events.map(event => encoder.push(event)).join('') : format.passFrame(frame, prompt)
    const full = text && stream.write(text)
    if (full) await full
  }
  stream.end()
}

function factsOf(exchange: OpenExchange): ReplyFacts {
  const provider = exchange.answer?.provider
  return {
    id: exchange.id,
    created: Math.floor(exchange.startedAt / 1000),
    layer: exchange.layer,
    ...(provider !== undefined && { provider }),
  }
}

function replyHeaders(exchange: OpenExchange): Record<string, string> {
  const { answer, deflected } = exchange
  const headers: Record<string, string> = { ...(!deflected && answer?.headers), ...exchange.replyHeaders }
  headers['X-Service-Layer'] = exchange.layer
  headers['X-Service-Deflected'] = deflected ? 'true' : 'false'
  if (answer?.provider !== undefined && !deflected) headers['x-service-provider'] = answer.provider
  if (answer?.staleSecs !== undefined) headers['x-service-stale'] = String(answer.staleSecs)
  return headers
}

/** A reply that is one JSON value. */
export function sendJson(
  call: Call,
  body: object,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): void {
  call.send(status, { ...headers, 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(body))
}

/** A refusal or failure before the first byte, in the client's dialect. */
export function sendError(call: Call, format: Pick<Format, 'encodeError'>, failure: GatewayError, layer: string): void {
  const headers: Record<string, string> = {
    'X-Service-Layer': layer,
    'X-Service-Deflected': 'false',
  }
  if (!failure.retryable) headers['x-should-retry'] = 'false'
  if (failure.retryAfterSecs !== undefined) headers['retry-after'] = String(failure.retryAfterSecs)
  sendJson(call, format.encodeError(failure, call.id), { status: failure.status, headers })
}
