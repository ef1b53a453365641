import { CHAT, type HeadCall } from 'deflector'
import { COUNT_TOKENS } from '../token-count.ts'

/** What one method of a model asks for. */
export interface Method {
  readonly operation: string
  readonly stream: boolean
}

/** By the name behind the colon of a path. */
export const METHODS: Readonly<Record<string, Method>> = {
  generateContent: { operation: CHAT, stream: false },
  streamGenerateContent: { operation: CHAT, stream: true },
  countTokens: { operation: COUNT_TOKENS, stream: false },
  embedContent: { operation: 'embed_content', stream: false },
  batchEmbedContents: { operation: 'batch_embed_contents', stream: false },
}

/** Both versions are in use: the vendor's own library changed from one to the other. */
const COLLECTIONS = ['/v1beta/models', '/v1beta/tunedModels', '/v1/models', '/v1/tunedModels']

/** The routes of a method: `/v1beta/models/*model\\:generateContent`. */
export const placesOf = (method: string): string[] => COLLECTIONS.map(collection => `${collection}/*model\\:${method}`)

export interface Called {
  readonly model?: string
  /** Name of the method; absent where the path is of no such call. */
  readonly method?: string
}

const PATH = /\/(models|tunedModels)\/(.+):(\w+)$/

/** Reads `/v1beta/models/gemini-x:generateContent`. A model may hold a colon itself, and any of them may be escaped. */
export function called({ path }: Pick<HeadCall, 'path'>): Called {
  const [, kind = '', escaped = '', method] = PATH.exec(path) ?? []
  if (method === undefined) return {}
  const name = bareModel(unescaped(escaped))
  return { model: kind === 'models' ? name : `${kind}/${name}`, method }
}

/** Is this the path of a method of a model, and not of the model? */
export function isMethod(call: Pick<HeadCall, 'path'>): boolean {
  const { method } = called(call)
  return method !== undefined && Object.hasOwn(METHODS, method)
}

/** A model's name without the collection that all models are in; tuned ones are in another. */
export const bareModel = (name: string): string => (name.startsWith('models/') ? name.slice('models/'.length) : name)

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
