import { type Chat, GatewayError, type SearchSetting, type Tool } from 'deflector'
import { unsayableIn } from 'deflector/formats/web-search'
import { z } from 'zod'
import { pattern } from './quirks-schema.ts'

/** What becomes of tools that a vendor of another format would run itself. */
export const hostedTools = z.enum(['refuse', 'drop'])

const SETTINGS = {
  allowed_domains: 'allowedDomains',
  blocked_domains: 'blockedDomains',
  user_location: 'location',
  max_uses: 'maxUses',
} as const satisfies Record<string, SearchSetting>

/** What a vendor does that searches the web itself. */
export const webSearch = z.strictObject({
  settings: z
    .array(z.enum(['allowed_domains', 'blocked_domains', 'user_location', 'max_uses']))
    .default([])
    .describe('What a search can be held to. A call that asks for more goes to another provider.'),
  models: pattern.optional().describe('Regular expression on the models that search; default all.'),
  beside_functions: z
    .union([z.boolean(), pattern])
    .default(true)
    .describe('Whether it takes the search together with functions; a regular expression on the models that do.'),
})

/** The same as an operator or a preset writes it. */
export type WebSearchOption = z.input<typeof webSearch>

/** How one vendor deals with such tools. */
export interface Hosting {
  /** The vendor's format. */
  readonly format: string
  readonly mode: z.output<typeof hostedTools>
  readonly search: z.output<typeof webSearch> | null
  readonly model: string
}

/**
 * The conversation without the tools that only vendors of other formats run. Throws `GatewayError('bad_request')` where
 * they may not be left out: by the setting, or because the client wants one of them called.
 */
export function withoutHosted(chat: Chat, hosting: Hosting): Chat {
  const { format, mode } = hosting
  const lost = new Map<Tool, Lost>()
  for (const tool of chat.tools) {
    const why = lostOf(tool, chat, hosting)
    if (why) lost.set(tool, why)
  }
  const [first] = lost.values()
  if (!first) return chat
  if (mode === 'refuse') throw refusal(first.field, `${first.what}; hosted_tools = "drop" leaves it out`)
  const { mode: call, names } = chat.toolChoice ?? {}
  const named = [...lost.keys()].find(({ name }) => names?.includes(name))
  if (named) throw refusal('tool_choice', `names ${named.name}, which a vendor of the ${format} format cannot run`)
  const tools = chat.tools.filter(tool => !lost.has(tool))
  if (call === 'any' && tools.length === 0)
    throw refusal('tool_choice', `forces a call, and a vendor of the ${format} format can run none of the tools`)
  return { ...chat, tools }
}

/** Why a vendor cannot run a tool, and the client's field that says so. */
interface Lost {
  readonly field: string
  readonly what: string
}

function lostOf({ name, hosted }: Tool, { tools }: Chat, { format, search, model }: Hosting): Lost | undefined {
  if (!hosted || hosted.format === format) return undefined
  const { field = 'tools', search: asked } = hosted
  if (!asked || !search || !new RegExp(search.models ?? '').test(model))
    return { field, what: `a vendor of the ${format} format cannot run ${name}` }
  const unsayable = unsayableIn(
    asked,
    search.settings.map(setting => SETTINGS[setting]),
  )
  if (unsayable !== undefined) return { field: unsayable, what: 'a search by this vendor cannot be told so' }
  const { beside_functions: beside } = search
  const takesBoth = typeof beside === 'string' ? new RegExp(beside).test(model) : beside
  const isAlone = tools.every(tool => tool.hosted)
  return isAlone || takesBoth ? undefined : { field, what: 'this vendor cannot search beside functions' }
}

const refusal = (field: string, what: string): GatewayError =>
  new GatewayError('bad_request', `${field}: ${what}`, { param: field })
