import { defineProvider } from 'deflector'
import { httpOptions, httpProvider, urlSchema } from 'deflector/http-provider'
import { z } from 'zod'
import { connections } from '../upstream/http.ts'
import { quirksSchema } from '../upstream/quirks-schema.ts'
import { Sessions } from '../upstream/sessions.ts'
import { WIRES, wiresOf } from '../upstream/wires.ts'
import { editorHeaders, turnHeaders } from './editor-headers.ts'
import { type Exchange, exchanged } from './exchange.ts'

const ENDPOINT = 'https://api.githubcopilot.com'
const options = z.strictObject({
  ...httpOptions,
  url: urlSchema.optional().describe('Endpoint; without it the one that the vendor names with each token.'),
  key_required: httpOptions.key_required.default(true),
  wire: z
    .enum(WIRES)
    .default('chat-completions')
    .describe('The format in which it is asked; some models know only one.'),
  token_exchange: z
    .boolean()
    .default(true)
    .describe('Whether the key is exchanged for short-lived tokens; if not, it is sent itself.'),
  exchange_url: urlSchema
    .default('https://api.github.com/copilot_internal/v2/token')
    .describe('Where it is exchanged.'),
  editor_version: z.string().default('vscode/1.104.1').describe('The editor that the vendor is told of.'),
  plugin_version: z.string().default('0.31.2').describe('The version of its chat extension.'),
  quirks: quirksSchema.default({}).describe('Where the vendor differs from the chat-completions format.'),
})

/** A code assistant's subscription. Its token is not what calls are made with: that one is made from it, for half an hour. */
export default defineProvider({
  name: 'subscription',
  summary: "One attempt at a code assistant's subscription.",
  options,
  apply(
    host,
    { url, wire, token_exchange: exchanges, exchange_url, editor_version, plugin_version, quirks, ...options },
  ) {
    const { name, clock } = host
    const editor = editorHeaders({ editor_version, plugin_version })
    const exchange: Exchange = {
      name,
      url: new URL(exchange_url),
      headers: editor,
      connections: connections(host, options.connect_secs * 1000),
      clock,
    }
    const sessions = new Sessions(host, `${name}:sessions:${exchange_url}`, key => exchanged(key, exchange))
    host.onStart(() => {
      host.log.warn(`${name} has no public API: using it from here may be against its terms of service`)
    })
    const spoken = wiresOf(name, quirks, options.store)[wire]
    const http = httpProvider(
      host,
      { ...options, url: url ?? ENDPOINT },
      {
        ...spoken,
        auth: key => ({ authorization: `Bearer ${key}` }),
        headers: call =>
          exchanges
            ? {
                ...editor,
                ...turnHeaders(call),
                'copilot-integration-id': 'vscode-chat',
                'openai-intent': 'conversation-panel',
              }
            : { ...turnHeaders(call), 'openai-intent': 'conversation-edits' },
        async access(call) {
          if (!exchanges || call.key === undefined) return {}
          const { token, endpoint } = await sessions.for(call, call.key)
          return {
            headers: { authorization: `Bearer ${token}` },
            secrets: [token],
            ...(url === undefined && endpoint !== undefined && { url: spoken.url(endpoint) }),
          }
        },
      },
    )
    return { ...http, complete: call => sessions.answer(call, http.complete) }
  },
})
