import { isObject, type JsonObject, type VendorState } from 'deflector'

/** A reference to state at the vendor, and the field that holds it. */
interface Reference {
  readonly field: string
  readonly id: string
}

/**
 * What of the vendor's state a request makes or needs: threads, the containers that tools run in, files, and the rules by
 * which it judges this request (`safeguards`). Servers of tools act beyond the answer. A file's id may stand in any
 * source; the words that a client quotes are not looked into.
 */
export function stateOf(body: JsonObject): VendorState | undefined {
  const references = referencesIn(body)
  const created = createdBy(body)
  const starts = list(body.mcp_servers).length > 0 && { starts: true }
  const field = references[0]?.field ?? created ?? (isPresent(body.safeguards) ? 'safeguards' : undefined)
  if (field === undefined) return starts ? { field: 'mcp_servers', refers: [], creates: false, ...starts } : undefined
  return { field, refers: references.map(({ id }) => id), creates: created !== undefined, essential: true, ...starts }
}

function createdBy({ thread, container, tools }: JsonObject): string | undefined {
  if (isObject(thread)) return 'thread'
  if (isObject(container) && typeof container.id !== 'string') return 'container'
  if (typeof container === 'string' || isObject(container)) return undefined
  const at = list(tools).findIndex(tool => typeof tool.type === 'string' && tool.type.startsWith('code_execution'))
  return at < 0 ? undefined : `tools[${at}]`
}

function referencesIn({ thread, container, messages, system }: JsonObject): Reference[] {
  const found: Reference[] = []
  const id = isObject(container) ? container.id : container
  if (isObject(thread)) add(found, 'thread', thread.previous_message_id)
  add(found, 'container', id)
  if (isObject(container))
    for (const [at, { type, skill_id }] of list(container.skills).entries())
      if (type === 'custom') add(found, `container.skills[${at}]`, skill_id)
  for (const { field, id } of filesIn(system)) add(found, `system${field}`, id)
  if (!Array.isArray(messages)) return found
  // Histories are long and seldom hold a file, so paths are written for those that do.
  for (let at = 0; at < messages.length; at++) {
    const { content } = messages[at] ?? {}
    if (Array.isArray(content))
      for (const { field, id } of filesIn(content)) add(found, `messages[${at}].content${field}`, id)
  }
  return found
}

function add(found: Reference[], field: string, id: unknown): void {
  if (typeof id === 'string') found.push({ field, id })
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const NONE: readonly never[] = []

/** The files that blocks name, and the blocks inside them; `field` goes on from the list. */
function filesIn(blocks: unknown): readonly Reference[] {
  if (!Array.isArray(blocks)) return NONE
  let found: Reference[] | undefined
  for (let place = 0; place < blocks.length; place++) {
    const inside = filesOf(blocks[place])
    if (inside.length === 0) continue
    found ??= []
    for (const { field, id } of inside) found.push({ field: `[${place}].${field}`, id })
  }
  return found ?? NONE
}

function filesOf(block: unknown): readonly Reference[] {
  if (!isObject(block)) return NONE
  const { type, source, file_id } = block
  if (type === 'container_upload' && typeof file_id === 'string') return [{ field: 'file_id', id: file_id }]
  if (type === 'tool_result') return filesIn(block.content).map(below('content'))
  if (!isObject(source)) return NONE
  if (source.type === 'file' && typeof source.file_id === 'string')
    return [{ field: 'source.file_id', id: source.file_id }]
  return filesIn(source.content).map(below('source.content'))
}

const below =
  (path: string) =>
  ({ field, id }: Reference): Reference => ({ field: path + field, id })

/**
 * What an answer, or one event of a stream, says that its vendor holds from now on: the message, by which a thread goes
 * on; the container; the files that tools wrote in it.
 */
export function stateIn(body: JsonObject): string[] {
  const message = isObject(body.message) ? body.message : body
  const delta = isObject(body.delta) ? body.delta : {}
  const blocks = isObject(body.content_block) ? [body.content_block] : list(message.content)
  const found = [message.id, idOf(message.container), idOf(delta.container), ...blocks.flatMap(filesWritten)]
  return found.filter(id => typeof id === 'string')
}

const idOf = (container: unknown): unknown => (isObject(container) ? container.id : undefined)

function filesWritten({ content }: JsonObject): unknown[] {
  return isObject(content) ? list(content.content).map(({ file_id }) => file_id) : []
}

/** The objects of a list; their places are kept, so an item that is none counts as an empty one. */
const list = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.map((item): JsonObject => (isObject(item) ? item : {})) : NONE
