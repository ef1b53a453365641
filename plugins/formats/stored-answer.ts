import { type ChatFormat, type Completion, type Prompt, parseLargeJson, type WholeAnswer, wholeAnswer } from 'deflector'
import { z } from 'zod'

/**
 * A stored answer: one line of JSON, then the body. The body is the answer's own bytes when the client's format spoke
 * them, so that a hit serves them unread; else it is the canonical answer as JSON.
 */
const VERSION = 1
const NEWLINE = 0x0a

const headSchema = z.compile(
  z.object({
    v: z.literal(VERSION),
    /** When it was stored, Unix seconds. */
    at: z.number(),
    /** Length of the body: a value cut short is found out before it is served. */
    bytes: z.number(),
    /** Format of the body; absent: the canonical answer. */
    format: z.string().optional(),
    provider: z.string().optional(),
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

/** `at`: Unix seconds. */
export function encodeEntry(answer: WholeAnswer, format: ChatFormat, at: number): Uint8Array {
  const own = answer.wire?.format === format.name ? answer.wire.bytes : undefined
  const body = own ?? Buffer.from(JSON.stringify(answer.completion))
  const { provider } = answer.facts
  const head = JSON.stringify({ v: VERSION, at, bytes: body.length, ...(own && { format: format.name }), provider })
  // A buffer of its own, which a store in memory can keep as it is; the head is ASCII but for a provider's name.
  const line = `${head}\n`
  const length = Buffer.byteLength(line)
  const entry = Buffer.allocUnsafeSlow(length + body.length)
  entry.write(line)
  entry.set(body, length)
  return entry
}

/**
 * `undefined` for an entry of another format than this client's: it is not broken, but of no use here.
 * Throws on what is no entry.
 */
export function decodeEntry(value: Uint8Array, format: ChatFormat): Found | undefined {
  const { head, body } = split(value)
  if (head.format !== undefined && head.format !== format.name) return undefined
  const { at, provider } = head
  if (head.format === undefined)
    return { answer: wholeAnswer({ completion: completionOf(JSON.parse(body.toString('utf8'))), provider }), at }
  // Served as it stands, decoded only for those who ask what it says.
  const completion = () => format.decodeAnswer(JSON.parse(body.toString('utf8')))
  return { answer: wholeAnswer({ wire: { format: format.name, bytes: body }, completion, provider }), at }
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
  const { at, provider } = head
  const isOwn = head.format === format.name
  if (body.length <= LARGE_BODY || (head.format !== undefined && !(isOwn && stream))) {
    const found = decodeEntry(value, format)
    if (stream) void found?.answer.completion
    return found
  }
  const parsed = await parseLargeJson(body, { repeats: 'last' })
  if (!isOwn) return { answer: wholeAnswer({ completion: completionOf(parsed), provider }), at }
  const completion = format.decodeAnswer(parsed)
  return { answer: wholeAnswer({ wire: { format: format.name, bytes: body }, completion, provider }), at }
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
