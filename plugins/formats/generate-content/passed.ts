import { isObject, type JsonObject, type VendorState } from 'deflector'
import { badRequest } from '../body.ts'
import type { NamedModel, Resources } from '../pass-through.ts'
import type { PassedHead } from '../passed-state.ts'
import { isStateId } from '../vendor-path.ts'
import { bareModel, called } from './called.ts'
import { camel } from './fields.ts'
import { stateOf } from './state.ts'

/** Methods of a model that begin a batch. */
export const BATCH_METHODS = ['batchGenerateContent', 'asyncBatchEmbedContent'] as const

/** A collection of which each member is somebody's, the id of one of them, and what is done with it. */
const HELD = /^(?:\/upload|\/download)?\/v\d\w*\/(files|cachedContents|batches)(?:\/([^/:]+)(:\w+)?)?$/
const MODELS = '/models/'
const BATCH = new RegExp(`:(?:${BATCH_METHODS.join('|')})$`)

/**
 * Files, cached contents and batches of Google, as https://ai.google.dev/api/files, /caching and /batch-mode have them.
 * What is held has a name that says what it is: `files/abc`. A version stands in the middle of some paths, so all of
 * a path is the client's.
 */
export const RESOURCES: Resources = {
  // Elsewhere bodies are JSON, whatever they are said to be: what they refer to has to be known.
  isFile: ({ path, headers }) => path.startsWith('/upload/') && headers['x-goog-upload-command'] !== 'start',
  modelOf(path, { model }) {
    if (BATCH.test(path)) return modelIn(path)
    if (typeof model !== 'string' || model === '') return undefined
    const name = bareModel(model)
    return { model: name, ...(name !== model && { modelPrefix: model.slice(0, -name.length) }) }
  },
  stateOf: heldBy,
  stateIn({ name, file, metadata, response }) {
    const results = [outputOf(metadata), response].map(one => (isObject(one) ? one.responsesFile : undefined))
    return [name, isObject(file) ? file.name : undefined, ...results].filter(id => typeof id === 'string')
  },
}

/** The escaped name of a model, where it stands: `/v1beta/models/<here>:method`. */
function modelIn(path: string): NamedModel | undefined {
  const { model } = called({ path })
  const from = path.indexOf(MODELS) + MODELS.length
  return model === undefined ? undefined : { model, modelInPath: [from, path.lastIndexOf(':')] }
}

function heldBy({ method, path, given }: PassedHead): VendorState | undefined {
  const [held, collection = '', id, action] = HELD.exec(path) ?? []
  if ((held === undefined && !BATCH.test(path)) || (id !== undefined && !isStateId(id)))
    throw badRequest('name', 'is no name; write it as the vendor says it')
  const named = id === undefined ? [] : [`${collection}/${id}`]
  const refers = [...named, ...referencesIn(given)]
  return {
    field: 'name',
    refers,
    // A batch that is looked at may tell of its results.
    creates: action === undefined && (method === 'POST' || (method === 'GET' && id !== undefined)),
    essential: true,
    ...(method === 'DELETE' && { ends: true }),
    ...(method === 'GET' && id === undefined && { lists: true }),
  }
}

/** What the contents of a cache refer to, or the requests of a batch, in its body or as a file. */
function referencesIn(given: JsonObject): readonly string[] {
  const { batch } = given
  const input = isObject(batch) ? camel(batch).inputConfig : undefined
  const { fileName, requests } = isObject(input) ? camel(input) : {}
  const list = isObject(requests) ? requests.requests : undefined
  const asked = (Array.isArray(list) ? list : []).map(one => (isObject(one) ? one.request : undefined))
  return [
    ...(typeof fileName === 'string' ? [fileName] : []),
    ...[given, ...asked].flatMap(one => (isObject(one) ? (stateOf(one)?.refers ?? []) : [])),
  ]
}

const outputOf = (metadata: unknown): unknown => (isObject(metadata) ? metadata.output : undefined)
