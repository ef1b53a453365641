import { type Dialect, isObject, type JsonObject, NO_CALL, type VendorState } from 'deflector'
import { badRequest } from './body.ts'
import { isStateId } from './vendor-path.ts'

/** Collections of which each member is somebody's, and the id of one of them. */
const HELD = /^\/(?:files|uploads|batches|messages\/batches)(?=\/|$)\/?([^/]*)(.*)$/
/** Members that name what was made before. */
const REFERRING = ['input_file_id', 'file_id', 'file_ids', 'part_ids'] as const

/** A call that is passed through, as far as it may be about state. */
export interface PassedHead {
  readonly method: string
  /** As the vendor's plugin gets it. */
  readonly path: string
  /** The parsed body; empty for one that is no JSON object. */
  readonly given: JsonObject
  /** Of the chats that a batch holds. */
  readonly dialect: Dialect
}

/** What a call that is passed through makes at the vendor, or needs there. */
export function passedState({ method, path, given, dialect }: PassedHead): VendorState | undefined {
  const held = HELD.exec(path)
  const [, id = '', behind = ''] = held ?? []
  if (id !== '' && !isStateId(id)) throw badRequest('id', 'is no id; write it as the vendor says it')
  const named = referencesIn(given, dialect)
  const refers = id === '' ? named : [id, ...named]
  if (!held && refers.length === 0) return undefined
  const field = id === '' && named.length > 0 ? 'file_id' : 'id'
  // What a file says is its writer's own words, and makes nothing.
  const creates = held !== null && (method === 'POST' || (method === 'GET' && id !== '' && behind === ''))
  const lists = held !== null && method === 'GET' && id === ''
  const ends = method === 'DELETE' && id !== ''
  return { field, refers, creates, essential: true, ...(ends && { ends }), ...(lists && { lists }) }
}

function referencesIn(body: JsonObject, dialect: Dialect): string[] {
  const found: unknown[] = REFERRING.flatMap(name => body[name])
  const requests = Array.isArray(body.requests) ? body.requests : []
  for (const request of requests)
    if (isObject(request) && isObject(request.params))
      found.push(...(dialect.readHead(request.params, NO_CALL).state?.refers ?? []))
  return found.filter(id => typeof id === 'string')
}

/** The file, upload, part or batch that a vendor tells of, and the files that came of it. */
export function stateInReply({ id, file, output_file_id, error_file_id }: JsonObject): string[] {
  return [id, isObject(file) ? file.id : undefined, output_file_id, error_file_id].filter(id => typeof id === 'string')
}
