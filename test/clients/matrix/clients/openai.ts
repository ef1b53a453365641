import type { Client, Session } from '../conversation.ts'
import { load, NODE_PACKAGES } from '../packages.ts'

/** The library of OpenAI, which speaks two formats. `ask` makes a question of its client, whose types are not known here. */
export const openai = (
  name: string,
  dialect: Client['dialect'],
  // biome-ignore lint/suspicious/noExplicitAny: what `load` gives
  ask: (client: any) => Session['ask'],
): Client => ({
  name,
  version: NODE_PACKAGES.openai,
  dialect,
  retries: 'unless told',
  async open(url) {
    const { default: OpenAI } = await load('openai')
    return { ask: ask(new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any' })) }
  },
})
