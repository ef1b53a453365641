import { type Chat, isObject, type JsonObject, type Serving } from 'deflector'
import { isBreakpoint, marksIn } from './cache-mark.ts'
import { pseudonym } from './pseudonym.ts'

/** Fields that both of OpenAI's formats have, in the same words. */

/** What a body asks of its serving; `verbosity` stands elsewhere in each format. */
export function decodeServing(body: JsonObject, verbosity: unknown): Pick<Chat, 'serving'> {
  const { service_tier: tier, prompt_cache_key: cacheKey, prompt_cache_retention: cacheRetention, store } = body
  const cacheOptions = body[CACHE_OPTIONS]
  const metadata = labelsOf(body.metadata)
  const serving: Serving = {
    ...(isText(verbosity) && { verbosity }),
    ...(isText(tier) && { tier }),
    ...(isText(cacheKey) && { cacheKey }),
    ...(isText(cacheRetention) && { cacheRetention }),
    ...(isObject(cacheOptions) && Object.keys(cacheOptions).length > 0 && { cacheOptions }),
    ...(metadata && { metadata }),
    ...(store === true && { kept: true }),
  }
  return Object.keys(serving).length === 0 ? {} : { serving }
}

/** The same for a vendor, who learns of no person. */
export const encodeServing = ({ tier, cacheKey, cacheRetention, cacheOptions, metadata }: Serving): JsonObject => ({
  ...(tier !== undefined && { service_tier: tier }),
  ...(cacheKey !== undefined && { prompt_cache_key: pseudonym(cacheKey) }),
  ...(cacheRetention !== undefined && { prompt_cache_retention: cacheRetention }),
  ...(cacheOptions && { [CACHE_OPTIONS]: cacheOptions }),
  ...(metadata && { metadata: withoutPersons(metadata) }),
})

const CACHE_OPTIONS = 'prompt_cache_options'

/** For a vendor who gets none of the breakpoints: without them nothing would be cached in the mode that goes by them. */
export function servingWithoutMarks(chat: Chat): Serving | undefined {
  if (chat.serving?.cacheOptions?.mode !== 'explicit' || !marksIn(chat).some(isBreakpoint)) return chat.serving
  const { cacheOptions: _, ...serving } = chat.serving
  return serving
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

function labelsOf(given: unknown): Readonly<Record<string, string>> | undefined {
  const labels = Object.entries(isObject(given) ? given : {}).filter(
    (label): label is [string, string] => typeof label[1] === 'string',
  )
  return labels.length === 0 ? undefined : Object.fromEntries(labels)
}

/** Names of labels that say who asks. */
const PERSON = /user|person|customer|account|e-?mail/i

const withoutPersons = (metadata: Readonly<Record<string, string>>): JsonObject =>
  Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, PERSON.test(name) ? pseudonym(value) : value]),
  )
