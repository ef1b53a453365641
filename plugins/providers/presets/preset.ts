import { namesOf } from 'deflector/formats/vendor-names'
import type { WebSearchOption } from '../upstream/hosted-tools.ts'
import type { Quirks } from '../upstream/quirks-schema.ts'

/** What a name after `use:` stands for. */
export interface Alias {
  readonly use: string
  readonly options: Readonly<Record<string, unknown>>
}

/** One vendor that speaks the chat-completions format, as of November 2026. Everything can be overridden in the pipeline file. */
export interface Preset {
  /** Its first name, lower case; see `namesOf`. */
  readonly id: string
  /** What its names here end with, where the vendor's own names mean another endpoint. */
  readonly endpoint?: '-compatible'
  /** Base URL. A `{name}` in it is for the operator to fill in; without a URL the operator must give one. */
  readonly url?: string
  /** A small, cheap model. Local servers have whatever was loaded, so none. */
  readonly model?: string
  /** Local servers and `custom` may run without a key. Default false. */
  readonly keyless?: true
  /** Regular expression that its keys fit, and those of no other vendor: see `client_credentials`. */
  readonly keyForm?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly quirks?: Quirks
  /** Where it searches the web itself, when it is asked in the chat-completions format. */
  readonly web_search?: WebSearchOption
  /** Where it lists its models, from the base URL, if not at `models`; null: nowhere, or in a form of its own. */
  readonly models?: string | null
  /** Where it speaks the messages format as well; `NAME-messages` then means this endpoint. */
  readonly messages?: Endpoint
  /** The same for the responses format and `NAME-responses`. */
  readonly responses?: Pick<Endpoint, 'url' | 'web_search'>
}

/** Another endpoint of the same vendor, with the same models and keys. */
interface Endpoint {
  /** Where it has another base URL. */
  readonly url?: string
  readonly web_search?: WebSearchOption
  /** How it wants the key, if not as the vendor's other endpoint does. */
  readonly auth?: 'x-api-key'
}

/**
 * True of everybody who copied the format before its newer parts: the old name of the output cap, no `developer` role,
 * and a refusal of an empty tool list.
 */
export const COMPATIBLE: Quirks = { max_tokens_param: 'max_tokens', developer_role: 'system', drop_empty_tools: true }

/** All that a search can be held to. */
export const EVERY_SETTING: NonNullable<WebSearchOption['settings']> = [
  'allowed_domains',
  'blocked_domains',
  'user_location',
  'max_uses',
]

/** All names of one vendor, with what each stands for. */
export function aliasesOf(preset: Preset): [string, Alias][] {
  const { id, endpoint, url, model, keyless, keyForm, headers, quirks, web_search, models, messages, responses } =
    preset
  const shared = {
    ...(url !== undefined && { url }),
    ...(model !== undefined && { model }),
    key_required: keyless !== true,
    ...(headers && { headers }),
    ...(keyForm !== undefined &&
      url !== undefined && { client_credentials: { form: keyForm, host: new URL(url).hostname } }),
  }
  const main: Alias = {
    use: 'chat-completions',
    options: {
      ...shared,
      ...(models !== undefined && { models_path: models }),
      ...(web_search && { web_search }),
      quirks: { ...COMPATIBLE, ...quirks },
    },
  }
  return [
    ...named(id, main, endpoint),
    ...(messages
      ? named(id, { use: 'messages', options: { ...shared, auth: 'bearer', ...messages } }, '-messages')
      : []),
    ...(responses ? named(id, { use: 'responses', options: { ...shared, ...responses } }, '-responses') : []),
  ]
}

export function named(id: string, alias: Alias, endpoint = ''): [string, Alias][] {
  const names = namesOf(id)
  return names.map(name => [`${name}${endpoint}`, { ...alias, options: { ...alias.options, vendor_names: names } }])
}
