import { isObject, type JsonObject, type VendorState } from 'deflector'
import { camel } from './fields.ts'

/** A file that was uploaded to the vendor, under whatever address the vendor has. */
const FILE = /^https?:\/\/[^/]+\/(?:.+\/)?v\d\w*\/(files\/[\w-]+)/

/** The vendor's own name of an uploaded file; `undefined` for an address that anybody may read. */
export const fileIn = (uri: string): string | undefined => FILE.exec(uri)?.[1]

/** What a request refers to that only its vendor has: a cached content, uploaded files. Servers of tools act beyond it. */
export function stateOf(body: JsonObject): VendorState | undefined {
  const { cachedContent, contents, systemInstruction, content, tools } = camel(body)
  const files = [
    ...[...entries(contents)].flatMap(([i, one]) => filesIn(one, `contents[${i}]`)),
    ...filesIn(systemInstruction, 'systemInstruction'),
    ...filesIn(content, 'content'), // of what is embedded
  ]
  const cached = typeof cachedContent === 'string' && cachedContent !== '' ? [cachedContent] : []
  const servers = [...entries(tools)].find(([, tool]) => isObject(tool) && isPresent(camel(tool).mcpServers))
  const starts = servers && { starts: true }
  const field = cached.length > 0 ? 'cachedContent' : files[0]?.at
  if (field === undefined) return starts && { field: `tools[${servers[0]}]`, refers: [], creates: false, ...starts }
  return { field, refers: [...cached, ...files.map(({ name }) => name)], creates: false, essential: true, ...starts }
}

interface File {
  readonly name: string
  readonly at: string
}

function filesIn(content: unknown, at: string): File[] {
  if (!isObject(content)) return []
  const found: File[] = []
  for (const [j, part] of entries(content.parts)) {
    const data = isObject(part) ? (part.fileData ?? part.file_data) : undefined
    const uri = isObject(data) ? (data.fileUri ?? data.file_uri) : undefined
    const name = typeof uri === 'string' ? fileIn(uri) : undefined
    if (name !== undefined) found.push({ name, at: `${at}.parts[${j}].fileData.fileUri` })
  }
  return found
}

const isPresent = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : isObject(value))

const entries = (list: unknown): Iterable<[number, unknown]> => (Array.isArray(list) ? list.entries() : [[0, list]])
