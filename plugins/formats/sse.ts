import { StringDecoder } from 'node:string_decoder'
import type { StreamFraming, WireEvent } from 'deflector'
import { createParser } from 'eventsource-parser'

/** Characters one event may hold. Images and encrypted reasoning make lines of megabytes; only memory needs a bound. */
const EVENT_LIMIT = 64 << 20

export interface SseOptions {
  /** Called for every chunk, so also for a chunk that holds nothing but a comment: the line is alive. */
  readonly onActivity?: () => void
}

/**
 * Reads server-sent events as they come. Any chunking, any line ending, with or without byte order mark.
 * An event that the end of input cuts off counts only if its data is whole (JSON or `[DONE]`); else this throws an
 * `Error`, because half an event means half an answer. Leaving the loop early closes `chunks`.
 */
export async function* sseEvents(chunks: AsyncIterable<Uint8Array>, options?: SseOptions): AsyncGenerator<WireEvent> {
  for await (const batch of sseBatches(chunks, options)) yield* batch
}

/** The same in lists of those that came together; none is empty. */
export async function* sseBatches(
  chunks: AsyncIterable<Uint8Array>,
  { onActivity }: SseOptions = {},
): AsyncGenerator<readonly WireEvent[]> {
  const utf8 = new StringDecoder() // keeps half a character for the next chunk
  const lines = lineFeeds()
  let ready: WireEvent[] = []
  const parser = createParser({
    maxBufferSize: EVENT_LIMIT,
    onEvent: ({ id, event, data }) =>
      ready.push({ ...(id !== undefined && { id }), ...(event !== undefined && { event }), data }),
    onError: error => {
      if (error.type === 'max-buffer-size-exceeded') throw new Error('a server-sent event is too large')
    },
  })
  const take = (): WireEvent[] => {
    const events = ready
    ready = []
    return events
  }
  for await (const chunk of chunks) {
    onActivity?.()
    parser.feed(lines(utf8.write(chunk)))
    if (ready.length > 0) yield take()
  }
  parser.feed(lines(utf8.end()))
  if (ready.length > 0) yield take()
  parser.feed('\n\n')
  const rest = take()
  if (rest.some(({ data }) => !isWhole(data))) throw new Error('the stream was cut off inside an event')
  if (rest.length > 0) yield rest
}

/** The data of each event in this text, as `sseText` writes it. */
export const dataIn = (wire: string): string[] =>
  wire
    .split('\n\n')
    .map(event =>
      event
        .split('\n')
        .flatMap(line => (line.startsWith('data:') ? [line.slice(5).trimStart()] : []))
        .join('\n'),
    )
    .filter(data => data !== '')

/** The same text with other data in its events; those that stay are not touched. */
export const withData = (wire: string, change: (data: string) => string): string =>
  wire.replace(/^data:.*(?:\ndata:.*)*/gm, lines => {
    const [data = ''] = dataIn(lines)
    const changed = change(data)
    return changed === data ? lines : sseText({ data: changed }).slice(0, -2)
  })

/** An event as it goes on the wire, with its closing blank line. */
export function sseText({ id, event, data }: WireEvent): string {
  const head = (id === undefined ? '' : `id: ${id}\n`) + (event === undefined ? '' : `event: ${event}\n`)
  if (!/[\r\n]/.test(data)) return `${head}data: ${data}\n\n`
  const lines = data.split(/\r\n|[\r\n]/).map(line => `data: ${line}\n`)
  return `${head}${lines.join('')}\n`
}

/**
 * Takes a byte order mark away, and turns CR and CRLF into LF. The parser understands all three, but it cannot close an event on a CR that ends a chunk
 * (an LF may follow), so on a host that writes CR alone each event would come one event late.
 */
function lineFeeds(): (text: string) => string {
  let afterReturn = false
  let isFirst = true
  return text => {
    if (text === '') return text
    const skipped = (isFirst && text.startsWith('\ufeff')) || (afterReturn && text.startsWith('\n'))
    const rest = skipped ? text.slice(1) : text
    isFirst = false
    afterReturn = text.endsWith('\r')
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest
  }
}

function isWhole(data: string): boolean {
  if (data.trim() === '[DONE]') return true
  try {
    JSON.parse(data)
    return true
  } catch {
    return false
  }
}

const SSE_FRAMING: StreamFraming = { contentType: 'text/event-stream; charset=utf-8', keepAlive: ': keep-alive\n\n' }

/** Server-sent events: a comment keeps the connection alive, and nothing surrounds the events. */
export const sseFraming = (): StreamFraming => SSE_FRAMING
