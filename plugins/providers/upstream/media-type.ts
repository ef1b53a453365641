import type { Reply } from './reply.ts'

type MediaType = 'text/event-stream' | 'json'

/** Some hosts send JSON without a type, or as plain text. Whether it is JSON shows when it is parsed. */
export function mediaType({ headers }: Pick<Reply, 'headers'>): MediaType | undefined {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'text/event-stream') return type
  return type === '' || type === 'text/plain' || /^application\/(?:.+\+)?json$/.test(type) ? 'json' : undefined
}

/** The same of a reply to a call that asked for a stream. Some hosts send right events under another type, or none. */
export async function streamedMediaType(reply: Reply): Promise<MediaType | undefined> {
  const type = mediaType(reply)
  if (type === 'text/event-stream') return type
  const begun = await reply.beginning(bytes => beginsAsEvents(bytes) !== undefined)
  return beginsAsEvents(begun) ? 'text/event-stream' : type
}

/** How a line of server-sent events begins; a colon alone begins a comment. */
const FIELDS = [':', 'data:', 'event:', 'id:', 'retry:']

/** Blank lines that may stand before the first event, in characters. */
const MOST_BLANK = 1_024

/** `undefined` while too little is there to know. No JSON begins like this. */
function beginsAsEvents(begun: Buffer): boolean | undefined {
  const text = begun.toString('latin1', 0, MOST_BLANK)
  const line = text.replace(/^(?:\xef\xbb\xbf)?[\r\n]*/, '')
  if (FIELDS.some(field => line.startsWith(field))) return true
  const isMark = '\xef\xbb\xbf'.startsWith(line)
  const maySoon = text.length < MOST_BLANK && (isMark || FIELDS.some(field => field.startsWith(line)))
  return maySoon ? undefined : false
}
