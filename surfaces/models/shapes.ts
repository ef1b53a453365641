import type { Call, ErrorDialect } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import type { Model } from './catalogue.ts'

/** How one kind of client reads models. */
export interface Shape {
  readonly format: ErrorDialect
  /** Is it this client's call? Absent: every call that is no other's. */
  readonly when?: (headers: Call['headers']) => boolean
  /** JSON leaves out what is not known. */
  one(model: Model): object
  page(models: readonly Model[]): object
}

/** An entry serves clients of chat-completions and of messages alike: some read the one's list with the other's eyes. */
const entry = ({ id, title, created, owner, inputLimit, outputLimit }: Model) => ({
  id,
  object: 'model',
  type: 'model',
  display_name: title,
  created,
  created_at: new Date(created * 1000).toISOString(),
  owned_by: owner,
  max_input_tokens: inputLimit,
  max_tokens: outputLimit,
})

const chatShape: Shape = {
  format: chatCompletions,
  one: entry,
  page: models => ({ object: 'list', data: models.map(entry) }),
}

const messagesShape: Shape = {
  format: messages,
  when: headers => headers['anthropic-version'] !== undefined,
  one: entry,
  page: models => ({
    data: models.map(entry),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  }),
}

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens']

const googleEntry = ({ id, title, inputLimit, outputLimit }: Model) => ({
  name: `models/${id}`,
  baseModelId: id,
  version: '001',
  displayName: title,
  supportedGenerationMethods: METHODS,
  inputTokenLimit: inputLimit,
  outputTokenLimit: outputLimit,
})

/** The same under either version, where newer clients ask with their own key's header. */
const googleShape: Shape = {
  format: generateContent,
  one: googleEntry,
  page: models => ({ models: models.map(googleEntry) }),
}

const isGoogle = (headers: Call['headers']): boolean =>
  headers['x-goog-api-key'] !== undefined || headers['x-goog-api-client'] !== undefined

/** By the path of the list. */
export const SHAPES: Readonly<Record<string, readonly Shape[]>> = {
  '/v1/models': [messagesShape, { ...googleShape, when: isGoogle }, chatShape],
  '/v1beta/models': [googleShape],
}
