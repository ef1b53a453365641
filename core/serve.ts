import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call, ErrorDialect, Outlet } from './call.ts'
import type { Answer, BytesAnswer, LiveAnswer, WholeAnswer, Wire } from './chat/answer.ts'
import { CHAT, type Dialect, type StreamFraming } from './chat/dialect.ts'
import type { ChatFormat, Prompt } from './chat/format.ts'
import { readPrompt } from './chat/prompt.ts'
import { replay } from './chat/replay.ts'
import type { ReplyFacts } from './chat/reply-facts.ts'
import type { StreamEncoder } from './chat/stream.ts'
import { AWAITED, GatewayError, toGatewayError, unforeseen } from './errors.ts'
import type { Flow } from './flow.ts'
import type { Log } from './host.ts'
import type { JsonObject } from './json/object.ts'
import type { OpenExchange } from './open-exchange.ts'
import { RecordedOutlet } from './recorded-outlet.ts'
import { RecordedReply } from './recorded-reply.ts'

/** A replayed stream goes out in writes of about this many characters; its events stay apart. */
const WRITE_SIZE = 16_384

/** What a generation wants to know of the calls on their way. */
export interface Watch {
  track(closed: Promise<void>): void
  /** Calls `run` when time is up at shutdown; the function given back takes it away again. */
  onCut(run: () => void): () => void
}

/** Around one call: who logs, who watches, and how its exchange is opened. */
export interface Serving {
  readonly flow: Flow
  readonly log: Log
  readonly watch: Watch
  /** Bytes of the reply that observers want to see; absent where none does. */
  readonly kept?: number | undefined
  open(read: () => Promise<Prompt>): OpenExchange
}

/** One client call from its body to its last byte: read, handled by the flow, replied in the client's dialect. */
export async function serve(taken: Call, dialect: Dialect, { flow, log, watch, kept, open }: Serving): Promise<void> {
  let outlet: RecordedOutlet | undefined
  let encoder: StreamEncoder | undefined
  let late: NodeJS.Timeout | undefined
  const framing = dialect.framing(taken)
  const exchange = open(async () => {
    const prompt = await readPrompt(taken, dialect)
    if (prompt.stream && prompt.operation === CHAT) late = setTimeout(beginEarly, taken.headWaitMs)
    return prompt
  })
  const call: Replied = kept === undefined ? taken : new RecordedReply(taken, exchange, kept)
  const begin = (): Outlet => {
    outlet ??= new RecordedOutlet(openStream(call, exchange, framing))
    return outlet
  }
  /** The status is settled then: whatever goes wrong afterwards is an event of the stream. */
  function beginEarly(): void {
    if (cut || exchange.failure) return
    exchange.layer = AWAITED
    begin()
  }
  const { answer: answering, closed } = flow.handle(exchange)
  watch.track(closed)
  let cut = false
  const fail = async (failure: GatewayError): Promise<void> => {
    if (cut) return
    if (!outlet) {
      sendError(call, dialect, failure, exchange.layer, exchange.replyHeaders)
      return
    }
    const owed = encoder?.breakOff?.()
    if (owed) void outlet.write(owed)
    await outlet.write(dialect.encodeStreamError(failure, exchange.id, outlet.sent))
    outlet.end()
  }
  const uncut = watch.onCut(() => {
    const draining = new GatewayError('draining', 'the gateway is shutting down')
    void fail(draining)
    cut = true
    // Nobody awaits the answer any more. The exchange comes to its end, so that observers hear of it.
    exchange.cut(draining)
  })
  let answer: Answer | undefined
  try {
    answer = await answering
    clearTimeout(late)
    const encode = (facts: ReplyFacts): StreamEncoder => {
      encoder = exchange.prompt.format.streamEncoder(exchange.prompt, facts)
      return encoder
    }
    if (answer && !cut) await reply(answer, { call, exchange, dialect, framing, begin, encode })
  } catch (error) {
    clearTimeout(late)
    const facts = error === exchange.failure ? undefined : unforeseen(error)
    if (facts) log.error('a reply failed', { surface: exchange.surface, request: exchange.id, ...facts })
    const failure = toGatewayError(error)
    await fail(failure)
    // This client reads no further. Without a reader the stream would never end, nor would its exchange.
    if (answer?.kind === 'live') call.cancellation.cancel(failure)
  } finally {
    uncut()
  }
}

/** The part of a call that its reply goes by. */
type Replied = Pick<Call, 'id' | 'send' | 'open' | 'cancellation'>

interface Replying {
  readonly call: Replied
  readonly exchange: OpenExchange
  readonly dialect: Dialect
  readonly framing: StreamFraming
  /** The stream; its head may have had to go out before the answer came. */
  readonly begin: () => Outlet
  /** The client's encoder; where the stream breaks off it is asked for what it owes. */
  readonly encode: (facts: ReplyFacts) => StreamEncoder
}

function reply(answer: Answer, to: Replying): Promise<void> | void {
  if (answer.kind === 'bytes') return sendBytes(answer, to)
  const { prompt } = to.exchange
  if (answer.kind === 'live') return prompt.stream ? streamLive(answer, to) : sendLive(answer, to)
  return prompt.stream ? streamWhole(answer, to) : sendWhole(answer, to)
}

function sendBytes({ bytes, contentType }: BytesAnswer, { call, exchange }: Replying): void {
  call.send(200, { ...replyHeaders(exchange), 'content-type': contentType }, bytes)
}

/** Nothing is pulled from the vendor unless there is a reader, so the stream is drained here. */
async function sendLive(answer: LiveAnswer, to: Replying): Promise<void> {
  for await (const _ of answer.batches());
  sendWhole(await answer.whole, to)
}

function sendWhole(answer: WholeAnswer, { call, exchange }: Replying): void {
  const { format } = exchange.prompt
  const facts = factsOf(exchange, answer)
  const headers = replyHeaders(exchange)
  headers['content-type'] = 'application/json; charset=utf-8'
  if (answer.wire?.format !== format.name) {
    const { stringify = JSON.stringify } = format
    call.send(200, headers, stringify(format.encodeAnswer(answer.completion, facts, exchange.prompt)))
  } else {
    const { joined, staleSecs, held } = answer.facts
    const firstHand = exchange.answer === answer && !exchange.deflected && !joined && staleSecs === undefined
    const isAsItCame = firstHand || held === true
    call.send(200, headers, isAsItCame ? answer.wire.bytes : format.reissue(answer.wire.bytes, facts, exchange.prompt))
  }
}

async function streamWhole(answer: WholeAnswer, { call, exchange, framing, begin }: Replying): Promise<void> {
  const events = eventsOf(answer, exchange.prompt, factsOf(exchange, answer))
  const stream = begin()
  let text = ''
  for (const event of events) {
    text += event
    if (text.length < WRITE_SIZE) continue
    for (const part of writes(text)) {
      await stream.write(part)
      await nextTurn()
      if (call.cancellation.cancelled) return stream.end()
    }
    text = ''
  }
  await stream.write(text + (framing.closing ?? ''))
  stream.end()
}

/** The events of a whole answer for this client: those of its own format, where it has them, else written anew. */
function eventsOf(answer: WholeAnswer, prompt: Prompt, facts: ReplyFacts): Iterable<string> {
  const { name, streamForm } = prompt.format
  const { stream, wire } = answer
  if (streamForm && stream?.format === name) return streamForm.send(stream.text, prompt, facts)
  if (streamForm && wire?.format === name)
    return streamForm.send(streamForm.fromWhole(bodyOf(wire), wire.bytes), prompt, facts)
  const encoder = prompt.format.streamEncoder(prompt, facts)
  return mapped(replay(answer.completion), event => encoder.push(event))
}

const bodyOf = ({ bytes }: Wire): JsonObject =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))

function* mapped<T>(items: Iterable<T>, text: (item: T) => string): Generator<string> {
  for (const item of items) yield text(item)
}

/** An event may be as large as the whole answer. It is not cut between the halves of a pair, which are written as one. */
function* writes(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + 4 * WRITE_SIZE)
    if (end < text.length && (text.charCodeAt(end) & 0xfc00) === 0xdc00) end++
    yield text.slice(at, end)
    at = end
  }
}

async function streamLive(answer: LiveAnswer, { call, exchange, framing, begin, encode }: Replying): Promise<void> {
  const { prompt } = exchange
  const format: ChatFormat = prompt.format
  const encoder = answer.format === format.name ? undefined : encode(factsOf(exchange))
  const stream = begin()
  for await (const batch of answer.batches()) {
    if (call.cancellation.cancelled) break
    let text = ''
    for (const frame of batch) {
      if (!encoder) text += format.passFrame(frame, prompt, answer.facts.joined)
      else for (const event of frame.events) text += encoder.push(event)
    }
    const full = text && stream.write(text)
    if (full) await full
  }
  if (framing.closing !== undefined && !call.cancellation.cancelled) await stream.write(framing.closing)
  stream.end()
}

function openStream(call: Replied, exchange: OpenExchange, { contentType, keepAlive, opening }: StreamFraming): Outlet {
  const outlet = call.open({ ...replyHeaders(exchange), 'content-type': contentType }, keepAlive)
  if (opening !== undefined) void outlet.write(opening)
  return outlet
}

function factsOf(exchange: OpenExchange, whole?: WholeAnswer): ReplyFacts {
  const provider = exchange.answer?.facts.provider
  return {
    id: exchange.id,
    created: Math.floor(exchange.startedAt / 1000),
    layer: exchange.layer,
    ...(provider !== undefined && { provider }),
    ...(whole?.facts.held && { vendorId: whole.completion.id }),
  }
}

function replyHeaders(exchange: OpenExchange): Record<string, string> {
  const { answer, deflected } = exchange
  const { provider, headers: vendors, staleSecs } = answer?.facts ?? {}
  const headers: Record<string, string> = { ...(!deflected && vendors), ...exchange.replyHeaders }
  headers['X-Service-Layer'] = exchange.layer
  headers['X-Service-Deflected'] = deflected ? 'true' : 'false'
  if (provider !== undefined && !deflected) headers['x-service-provider'] = provider
  if (staleSecs !== undefined) headers['x-service-stale'] = String(staleSecs)
  return headers
}

/** A reply that is one JSON value. */
export function sendJson(
  call: Pick<Call, 'send'>,
  body: object,
  {
    status = 200,
    headers = {},
  }: { readonly status?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): void {
  call.send(status, { ...headers, 'content-type': 'application/json; charset=utf-8' }, JSON.stringify(body))
}

/** A refusal or failure before the first byte, in the client's dialect. `layer` defaults to that of the failure's code. */
export function sendError(
  call: Pick<Call, 'id' | 'send'>,
  dialect: ErrorDialect,
  failure: GatewayError,
  layer = failure.layer,
  more: Readonly<Record<string, string>> = {},
): void {
  const headers: Record<string, string> = {
    ...failure.vendor?.headers,
    ...more,
    'X-Service-Layer': layer,
    'X-Service-Deflected': 'false',
  }
  if (!failure.retryable) headers['x-should-retry'] = 'false'
  if (failure.retryAfterSecs !== undefined) headers['retry-after'] = String(failure.retryAfterSecs)
  sendJson(call, dialect.encodeError(failure, call.id), { status: failure.status, headers })
}
