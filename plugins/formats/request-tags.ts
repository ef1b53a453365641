/** Header by which clients label their requests, for books and logs. */
const TAGS_HEADER = 'x-service-tags'

const MOST = 8
const LONGEST = 64

/** The labels of a request, which its header separates by commas; each once, the first eight, cut at 64 characters. */
export function tagsOf(headers: Readonly<Record<string, string | undefined>>): string[] {
  const header = headers[TAGS_HEADER]
  if (header === undefined) return []
  const tags = new Set<string>()
  for (const part of header.split(',', 4 * MOST)) {
    const tag = part.trim().slice(0, LONGEST)
    if (tag !== '') tags.add(tag)
    if (tags.size === MOST) break
  }
  return [...tags]
}
