import { type Chat, GatewayError } from 'deflector'
import { z } from 'zod'

/** What becomes of tools that a vendor of another format would run itself. */
export const hostedTools = z.enum(['refuse', 'drop'])

export type HostedTools = z.output<typeof hostedTools>

/**
 * The conversation without the tools that only vendors of other formats run. Throws `GatewayError('bad_request')` where
 * they may not be left out: by the setting, or because the client wants one of them called.
 */
export function withoutHosted(chat: Chat, format: string, mode: HostedTools): Chat {
  const foreign = chat.tools.filter(({ hosted }) => hosted && hosted.format !== format)
  const [first] = foreign
  if (!first) return chat
  const field = first.hosted?.field ?? 'tools'
  if (mode === 'refuse')
    throw refusal(
      field,
      `a vendor of the ${format} format cannot run ${first.name}; hosted_tools = "drop" leaves it out`,
    )
  const { mode: call, names } = chat.toolChoice ?? {}
  const named = foreign.find(({ name }) => names?.includes(name))
  if (named) throw refusal('tool_choice', `names ${named.name}, which a vendor of the ${format} format cannot run`)
  const tools = chat.tools.filter(tool => !foreign.includes(tool))
  if (call === 'any' && tools.length === 0)
    throw refusal('tool_choice', `forces a call, and a vendor of the ${format} format can run none of the tools`)
  return { ...chat, tools }
}

const refusal = (field: string, what: string): GatewayError =>
  new GatewayError('bad_request', `${field}: ${what}`, { param: field })
