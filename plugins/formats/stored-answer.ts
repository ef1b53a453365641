import {
  type ChatFormat,
  type Completion,
  type Exchange,
  isObject,
  Memo,
  type Prompt,
  parseLargeJson,
  type WholeAnswer,
  wholeAnswer,
  withFacts,
} from 'deflector'
import { z } from 'zod'
import { storable } from './storable.ts'

/**
 * A stored answer: one line of JSON, then the body. The body is the answer's own bytes or its own stream when the client's
 * format spoke them, so that a hit loses nothing; else it is the canonical answer as JSON.
 */
const VERSION = 1
/** Of a stream, so that no earlier version takes one for bytes. */
const STREAM_VERSION = 2
const NEWLINE = 0x0a

const headSchema = z.compile(
  z.object({
    v: z.union([z.literal(VERSION), z.literal(STREAM_VERSION)]),
    /** When it was stored, Unix seconds. */
    at: z.number(),
    /** Length of the body: a value cut short is found out before it is served. */
    bytes: z.number(),
    /** Format of the body; absent: the canonical answer. */
    format: z.string().optional(),
    provider: z.string().optional(),
    /** See `AnswerFacts.held`. */
    held: z.literal(true).optional(),
    /** See `AnswerFacts.local`. */
    local: z.literal(true).optional(),
  }),
)

const completionSchema = z.compile(
  z.looseObject({
    id: z.string(),
    model: z.string(),
    created: z.number(),
    blocks: z.array(z.looseObject({ type: z.string() })),
    stop: z.looseObject({ reason: z.string() }),
  }),
)

/** A stored answer, found again. */
export interface Found {
  readonly answer: WholeAnswer
  /** When it was stored, Unix seconds; an entry of the older layout does not say. */
  readonly at?: number
}

/** The entry of an exchange's answer. Several caches keep it: each gets the same bytes. `at`: Unix seconds. */
export function entryFor(exchange: Pick<Exchange, 'prompt' | 'memos'>, answer: WholeAnswer, at: number): Uint8Array {
  const known = entries.of(exchange)
  if (known?.answer === answer && known.at === at) return known.entry
  const entry = encodeEntry(answer, exchange.prompt.format, at)
  entries.set(exchange, { answer, at, entry })
  return entry
}

const entries = new Memo<{ readonly answer: WholeAnswer; readonly at: number; readonly entry: Uint8Array }>()

/** `at`: Unix seconds. */
export function encodeEntry(answer: WholeAnswer, { name }: ChatFormat, at: number): Uint8Array {
  const own = answer.wire?.format === name ? answer.wire.bytes : undefined
  const stream = own === undefined && answer.stream?.format === name ? Buffer.from(answer.stream.text) : undefined
  const body = own ?? stream ?? Buffer.from(JSON.stringify(answer.completion))
  const { provider, held, local } = answer.facts
  const v = stream ? STREAM_VERSION : VERSION
  const facts = { ...((own ?? stream) && { format: name }), provider, ...(held && { held }), ...(local && { local }) }
  const head = JSON.stringify({ v, at, bytes: body.length, ...facts })
  // A buffer of its own, which a store in memory can keep as it is; the head is ASCII but for a provider's name.
  const line = `${head}\n`
  const length = Buffer.byteLength(line)
  const entry = Buffer.allocUnsafeSlow(length + body.length)
  entry.write(line)
  entry.set(body, length)
  return entry
}

/**
 * May the answer be kept for clients of this format? It has to be one that others may get, and the entry has to hold
 * everything that the vendor said, in the client's own format or in the canonical shape.
 */
export function canBeKept(answer: WholeAnswer, format: ChatFormat): boolean {
  const { completion, wire, stream } = answer
  const { name, streamForm } = format
  if (!completion.unmodelled || wire?.format === name) return storable(completion, name)
  if (!streamForm || stream?.format !== name) return false
  // Beside what the canonical shape holds there may be further choices.
  const whole = streamForm.toWhole(stream.text)
  return whole !== undefined && storable(format.decodeAnswer(JSON.parse(Buffer.from(whole).toString('utf8'))), name)
}

/** May it be given to this client without a loss? */
export function canReplay(answer: WholeAnswer, { format, stream }: Pick<Prompt, 'format' | 'stream'>): boolean {
  const own = stream ? answer.stream : answer.wire
  return own?.format === format.name || !answer.completion.unmodelled
}

/**
 * `undefined` for an entry that this client's format has no use for: one of another format, or a stream that no whole
 * answer says. It is not broken. Throws on what is no entry.
 */
export function decodeEntry(
  value: Uint8Array,
  format: ChatFormat,
  { stream = false, parsed }: { readonly stream?: boolean; readonly parsed?: unknown } = {},
): Found | undefined {
  const { head, body } = split(value)
  const { at, provider, held, local, v } = head
  if (head.format !== undefined && head.format !== format.name) return undefined
  const json = (): unknown => parsed ?? JSON.parse(body.toString('utf8'))
  const found = (answer: WholeAnswer | undefined): Found | undefined =>
    answer && { answer: held || local ? withFacts(answer, { held, local }) : answer, at }
  if (head.format === undefined) return found(wholeAnswer({ completion: completionOf(json()), provider }))
  const facts = { provider, format }
  if (v === STREAM_VERSION) return found(fromStream(body.toString('utf8'), stream, facts))
  // Served as it stands, decoded only for those who ask what it says.
  return found(stream ? fromBody(body, json(), facts) : own(body, json, facts))
}

interface Facts {
  readonly provider: string | undefined
  readonly format: ChatFormat
}

function own(bytes: Buffer, json: () => unknown, { provider, format }: Facts): WholeAnswer {
  return wholeAnswer({
    wire: { format: format.name, bytes },
    completion: () => format.decodeAnswer(json(), bytes),
    provider,
  })
}

/** For a client that streams: read at once, so that a broken body is found out. */
function fromBody(bytes: Buffer, parsed: unknown, { provider, format }: Facts): WholeAnswer {
  const { name, streamForm } = format
  if (!streamForm || !isObject(parsed)) {
    const completion = format.decodeAnswer(parsed, bytes)
    return wholeAnswer({ wire: { format: name, bytes }, completion, provider })
  }
  return wholeAnswer({
    wire: { format: name, bytes },
    stream: { format: name, text: streamForm.fromWhole(parsed, bytes) },
    completion: () => format.decodeAnswer(parsed, bytes),
    provider,
  })
}

function fromStream(text: string, streams: boolean, { provider, format }: Facts): WholeAnswer | undefined {
  const { name, streamForm } = format
  if (!streamForm) return undefined
  const stream = { format: name, text }
  const decoded = (bytes: Uint8Array | undefined): Completion => {
    if (!bytes) throw new Error('the stream says what no whole answer can')
    return format.decodeAnswer(JSON.parse(Buffer.from(bytes).toString('utf8')), bytes)
  }
  if (streams) return wholeAnswer({ stream, completion: () => decoded(streamForm.toWhole(text)), provider })
  const bytes = streamForm.toWhole(text)
  return bytes && wholeAnswer({ stream, wire: { format: name, bytes }, completion: () => decoded(bytes), provider })
}

/** Bodies above this many bytes are worth the turns. */
const LARGE_BODY = 128 << 10

/**
 * `decodeEntry` for those who can wait: what a large answer says is read in turns of the event loop. For a stream it is
 * read in any case, as its events are made of it.
 */
export async function readEntry(
  value: Uint8Array,
  { format, stream }: Pick<Prompt, 'format' | 'stream'>,
): Promise<Found | undefined> {
  const { head, body } = split(value)
  const isRead = head.v === VERSION && (head.format === undefined || (head.format === format.name && stream))
  if (!isRead || body.length <= LARGE_BODY) return decodeEntry(value, format, { stream })
  return decodeEntry(value, format, { stream, parsed: await parseLargeJson(body, { repeats: 'last' }) })
}

interface Split {
  readonly head: z.output<typeof headSchema>
  readonly body: Buffer
}

/** A store in memory gives the same bytes with every hit; their head is parsed once. */
const seen = new WeakMap<Uint8Array, Split>()

function split(value: Uint8Array): Split {
  const known = seen.get(value)
  if (known) return known
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  const end = bytes.indexOf(NEWLINE)
  const head = headSchema.parse(JSON.parse(bytes.toString('utf8', 0, Math.max(0, end))))
  const body = bytes.subarray(end + 1)
  if (body.length !== head.bytes) throw new Error('the entry is not as long as it says')
  const found = { head, body }
  seen.set(value, found)
  return found
}

function completionOf(parsed: unknown): Completion {
  completionSchema.parse(parsed)
  return parsed as Completion // what we wrote ourselves; the schema has seen that it is one
}
