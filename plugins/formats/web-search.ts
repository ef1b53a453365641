import { type GatewayError, isObject, type JsonObject, type SearchSetting, type Tool, type WebSearch } from 'deflector'
import { badRequest } from './body.ts'

/** The name that vendors give the tool, and the one that a translated search has. */
export const WEB_SEARCH = 'web_search'

type Given = { readonly [Setting in SearchSetting | 'contextSize']?: unknown }
type Fields = { readonly [Setting in SearchSetting]?: string }

/** How a dialect says that a setting of its own asks for nothing. */
export type Harmless = Readonly<Record<string, (value: unknown) => boolean>>

/**
 * A search as a client asked for it: `given` by our names, `fields` the paths of the same in its body. A setting that
 * cannot be read is for the client's own vendor to judge, and so are those of `others`, the paths of what no other dialect has.
 */
export function readSearch(given: Given, fields: Fields, others: readonly string[] = []): WebSearch {
  const read: { -readonly [Setting in keyof WebSearch]: WebSearch[Setting] } = { fields }
  const unread: SearchSetting[] = []
  for (const setting of ['allowedDomains', 'blockedDomains'] as const) {
    const domains = given[setting]
    if (isTexts(domains)) {
      if (domains.length > 0) read[setting] = domains
    } else if (isSet(domains)) unread.push(setting)
  }
  const location = readLocation(given.location)
  if (location === null) unread.push('location')
  else if (location) read.location = location
  if (typeof given.maxUses === 'number' && Number.isInteger(given.maxUses) && given.maxUses > 0)
    read.maxUses = given.maxUses
  else if (isSet(given.maxUses)) unread.push('maxUses')
  const size = SIZES.find(each => each === given.contextSize)
  if (size) read.contextSize = size
  const vendorOnly = [...unread.flatMap(setting => fields[setting] ?? []), ...others]
  return { ...read, ...(vendorOnly.length > 0 && { vendorOnly }) }
}

/** The paths of what is set beside the settings that dialects share. */
export const othersIn = (rest: JsonObject, at: string, harmless: Harmless = {}): string[] =>
  Object.entries(rest).flatMap(([name, value]) =>
    !isSet(value) || harmless[name]?.(value) === true ? [] : [`${at}.${name}`],
  )

const SIZES = ['low', 'medium', 'high'] as const
const PARTS = ['city', 'region', 'country', 'timezone'] as const

/** `undefined` for no place, `null` for one in words that we do not know. */
function readLocation(given: unknown): WebSearch['location'] | null {
  if (!isSet(given)) return undefined
  if (!isObject(given)) return null
  const { type, ...parts } = given
  const said = Object.entries(parts).filter(([, value]) => isSet(value))
  const known = said.every(([name, value]) => PARTS.some(part => part === name) && typeof value === 'string')
  if (!known || (isSet(type) && type !== APPROXIMATE)) return null
  return said.length === 0 ? undefined : Object.fromEntries(said)
}

const APPROXIMATE = 'approximate'

/** A place in the words that several dialects have for it. */
export const writeLocation = (location: NonNullable<WebSearch['location']>): JsonObject => ({
  type: APPROXIMATE,
  ...location,
})

/** The path of a setting that would be lost on a vendor who can be told these `settings`. */
export function unsayableIn(
  { vendorOnly = [], fields, ...search }: WebSearch,
  settings: readonly SearchSetting[],
): string | undefined {
  const lost = SETTINGS.find(setting => search[setting] !== undefined && !settings.includes(setting))
  return vendorOnly[0] ?? (lost && (fields[lost] ?? 'tools'))
}

const SETTINGS = ['allowedDomains', 'blockedDomains', 'location', 'maxUses'] as const

/**
 * The search that another dialect's tool is, for a format that has words for these `settings`. Throws `bad_request` with
 * the client's field for any other one, and for a tool that is no search.
 */
export function searchOf({ name, hosted }: Tool, settings: readonly SearchSetting[]): WebSearch {
  if (!hosted?.search) throw cannotRun(name)
  const field = unsayableIn(hosted.search, settings)
  if (field !== undefined) throw badRequest(field, 'a search by this vendor has no such setting')
  return hosted.search
}

/** The refusal of a tool that only another vendor has. */
export const cannotRun = (name: string): GatewayError =>
  badRequest('tools', `${name} is a tool of another vendor's own, and this one cannot run it`)

/** Is it a search that a client of another dialect asked for? */
export const isForeignSearch = ({ hosted }: Tool, format: string): boolean =>
  hosted?.search !== undefined && hosted.format !== format

const isSet = (value: unknown): boolean => value !== undefined && value !== null

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(each => typeof each === 'string')
