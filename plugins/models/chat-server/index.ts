import { type Cancellation, defineModel, type Writer, type WritingTask, type WrittenText } from 'deflector'
import { modelEndpoint } from 'deflector/facets/model-endpoint'
import { Agent } from 'undici'
import { z } from 'zod'
import { jsonCall, Refusal } from '../upstream/json-call.ts'
import type { ChatApi } from './chat-api.ts'
import { ollama } from './ollama.ts'
import { isFromOllama, openai } from './openai.ts'

/** In messages. */
const WHAT = "the small model's server"
/** Names this gateway to servers, so that one of ours refuses a request that came from itself. */
const HOP = 'x-service-hop'

/** Ollama's own API is at `/api`; it speaks the other one at `/v1`. */
const OLLAMA = /\/api(?:\/chat)?\/*$/

/** Writes with a server beside the gateway: llama.cpp, vLLM, LM Studio, Ollama and their like. */
export default defineModel({
  name: 'chat-server',
  summary: 'writes with a local server, by POST /v1/chat/completions or /api/chat of Ollama',
  options: z.strictObject({
    url: z.url().describe('Address of the server, with or without the path of its chat API.'),
    model: z.string().min(1).describe('Name of the model there.'),
    api: z
      .enum(['auto', 'openai', 'ollama'])
      .default('auto')
      .describe(
        'Format of the calls. `auto` is `ollama` for a URL that ends with `/api` or `/api/chat`, and once a reply shows that Ollama wrote it; else `openai`.',
      ),
    api_key: z.string().min(1).optional().describe('Sent as a bearer token.'),
    context_tokens: z
      .int()
      .min(512)
      .default(8192)
      .describe('Window that an Ollama server gives the model, in tokens; other servers have their own.'),
    timeout_secs: z
      .number()
      .positive()
      .default(120)
      .describe('Time limit of a call, in seconds; the layer that asks may wait less.'),
  }),
  apply({ onDispose, offer, clock, gateway, log }, { url, model, api, api_key, context_tokens, timeout_secs }): Writer {
    // Each call has its own limit, and a slow model may need longer than the library's.
    const agent = new Agent({ connections: 8, headersTimeout: 0, bodyTimeout: 0 })
    onDispose(() => agent.destroy())
    const isOllama = api === 'auto' ? OLLAMA.test(new URL(url).pathname) : api === 'ollama'
    const headers = { [HOP]: gateway, ...(api_key !== undefined && { authorization: `Bearer ${api_key}` }) }
    let spoken = isOllama ? ollama : openai
    /** Is it settled which format the server is asked in? */
    let settled = api !== 'auto' || isOllama
    const address = (): string => spoken.address(url)
    const writer: Writer = {
      model,
      get url() {
        return withoutSecrets(address())
      },
      async write(task, cancellation) {
        const reply = await ask(spoken, task, cancellation)
        if (settled || !isFromOllama(reply)) return read(spoken, reply)
        settled = true
        // Its window here is small, and it drops what does not fit without a word: this answer may be of no use.
        spoken = ollama
        try {
          const written = read(ollama, await ask(ollama, task, cancellation))
          log.info('the server of the small model is Ollama, and is asked in its own format', { url: writer.url })
          return written
        } catch (error) {
          if (cancellation?.cancelled || error instanceof Refusal) throw error
          // What stands in front of it may let only this format pass.
          spoken = openai
          return read(openai, reply)
        }
      },
    }
    async function ask(by: ChatApi, task: WritingTask, cancellation: Cancellation | undefined): Promise<unknown> {
      const body = by.encode(task, { model, contextTokens: context_tokens })
      const call = { what: WHAT, url: by.address(url), headers, body, limitMs: timeout_secs * 1000, cancellation }
      return jsonCall(agent, clock, call)
    }
    function read(by: ChatApi, reply: unknown): WrittenText {
      const written = by.decode(reply)
      if (!written) throw new Error(`${WHAT} answered something that is no whole answer`)
      return written
    }
    offer(modelEndpoint, {
      get url() {
        return withoutSecrets(address())
      },
      async check(cancellation) {
        await writer.write({ turns: [{ role: 'user', text: 'Say yes.' }], maxTokens: 1 }, cancellation)
      },
    })
    return writer
  },
})

function withoutSecrets(address: string): string {
  const { origin, pathname } = new URL(address)
  return origin + pathname
}
