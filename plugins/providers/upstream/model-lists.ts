import { isObject, type VendorModel } from 'deflector'
import { z } from 'zod'
import type { ModelList } from './model-list.ts'
import { besideChat, contentUrl, messagesUrl } from './url.ts'

/** The lists of models in the vendors' dialects. An entry that cannot be read is left out. */

const limit = z.number().int().positive().optional().catch(undefined)
const text = z.string().min(1).optional().catch(undefined)

const openai = z
  .object({ id: z.string().min(1), created: limit, name: text, context_length: limit })
  .transform(({ id, created, name, context_length }) => ({ id, created, title: name, inputLimit: context_length }))

const anthropic = z
  .object({
    id: z.string().min(1),
    display_name: text,
    created_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
    max_input_tokens: limit,
    max_tokens: limit,
  })
  .transform(({ id, display_name, created_at, max_input_tokens, max_tokens }) => ({
    id,
    title: display_name,
    created: created_at === undefined ? undefined : Math.floor(Date.parse(created_at) / 1000),
    inputLimit: max_input_tokens,
    outputLimit: max_tokens,
  }))

const google = z
  .object({
    name: z.string().startsWith('models/'),
    displayName: text,
    inputTokenLimit: limit,
    outputTokenLimit: limit,
  })
  .transform(({ name, displayName, inputTokenLimit, outputTokenLimit }) => ({
    id: name.slice('models/'.length),
    title: displayName,
    inputLimit: inputTokenLimit,
    outputLimit: outputTokenLimit,
  }))

interface Entry {
  readonly id: string
  readonly title?: string | undefined
  readonly created?: number | undefined
  readonly inputLimit?: number | undefined
  readonly outputLimit?: number | undefined
}

/** The list stands under `field`, or alone. */
function readAll(body: unknown, field: string, schema: z.ZodType<Entry>): VendorModel[] {
  const list: unknown = isObject(body) ? body[field] : body
  return (Array.isArray(list) ? list : []).flatMap(one => {
    const { data } = schema.safeParse(one)
    if (!data) return []
    const { id, title, created, inputLimit, outputLimit } = data
    return [
      {
        id,
        ...(title !== undefined && { title }),
        ...(created !== undefined && { created }),
        ...(inputLimit !== undefined && { inputLimit }),
        ...(outputLimit !== undefined && { outputLimit }),
      },
    ]
  })
}

/** Of vendors that speak chat-completions, at this place from their base. */
export const openaiModels = (path: string): ModelList => ({
  url: besideChat(`/${path}`),
  read: body => readAll(body, 'data', openai),
})

export const anthropicModels: ModelList = {
  url(base) {
    const url = messagesUrl(base)
    url.pathname = url.pathname.replace(/\/messages$/, '/models')
    url.searchParams.set('limit', '1000')
    return url
  },
  read: body => readAll(body, 'data', anthropic),
}

export const googleModels: ModelList = {
  url(base) {
    const url = contentUrl(base)
    url.pathname += '/models'
    url.searchParams.set('pageSize', '1000')
    return url
  },
  read: body => readAll(body, 'models', google),
}
