/** A short text in a form, and where its bytes stand. */
export interface FormText {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Bytes that a part may have around its text, and the text itself. */
const MOST_HEADERS = 4096
const MOST_TEXT = 512
/** Parts that are looked at: forms of real clients have a handful. */
const MOST_PARTS = 256

/**
 * The first text of each of these names in a form (`multipart/form-data`). Files are stepped over unread, and what comes
 * behind the last text that is looked for is not looked at. A text behind a file is found too.
 */
export function formTexts(
  bytes: Uint8Array,
  contentType: string,
  names: readonly string[],
): ReadonlyMap<string, FormText> {
  const found = new Map<string, FormText>()
  const [, quoted, plain] = BOUNDARY.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) return found
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const delimiter = `\r\n--${boundary}`
  // The first delimiter has no line before it where nothing stands before the form.
  let at = form.indexOf(delimiter.slice(2)) + delimiter.length - 2
  if (at < delimiter.length - 2) return found
  for (let part = 0; part < MOST_PARTS && found.size < names.length; part++) {
    const headersEnd = form.indexOf('\r\n\r\n', at)
    const end = headersEnd < 0 ? -1 : form.indexOf(delimiter, headersEnd + 2)
    if (end < 0) break
    const start = headersEnd + 4
    const headers = headersEnd - at > MOST_HEADERS ? '' : form.toString('utf8', at, headersEnd)
    const name = nameIn(headers)
    if (name !== undefined && names.includes(name) && !found.has(name) && end >= start && end - start <= MOST_TEXT)
      found.set(name, { text: form.toString('utf8', start, end), start, end })
    at = end + delimiter.length
  }
  return found
}

const BOUNDARY = /^multipart\/form-data\b.*;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/is
const NAME = /^content-disposition:\s*form-data\b[^\r\n]*;\s*name=(?:"([^"\r\n]*)"|([^\s;"]+))/im
/** A file, or a text that is written otherwise than it reads. */
const NO_TEXT = /;\s*filename\*?=|^content-transfer-encoding:(?!\s*(?:7bit|8bit|binary)\s*$)/im

function nameIn(headers: string): string | undefined {
  const [, quoted, plain] = NAME.exec(headers) ?? []
  return NO_TEXT.test(headers) ? undefined : (quoted ?? plain)
}
