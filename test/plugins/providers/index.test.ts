import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatCompletions from '../../../plugins/providers/chat-completions.ts'
import deployment from '../../../plugins/providers/deployment.ts'
import generateContent from '../../../plugins/providers/generate-content.ts'
import { aliases } from '../../../plugins/providers/index.ts'
import messages from '../../../plugins/providers/messages.ts'
import responses from '../../../plugins/providers/responses.ts'
import signed from '../../../plugins/providers/signed.ts'
import subscription from '../../../plugins/providers/subscription/index.ts'
import { messagesUrl, responsesUrl } from '../../../plugins/providers/upstream/url.ts'

/** Every vendor of the reference, with its other names. */
const VENDORS = [
  'openai azure vertex copilot github-copilot anthropic xai grok gemini google gemini-compatible google-compatible mistral groq cerebras nebius siliconflow fireworks nvidia chutes deepseek cohere',
  'galadriel hyperbolic huggingface hf mira moonshot kimi ollama openrouter perplexity together togetherai bedrock sambanova',
  'novita novita-ai deepinfra zai z-ai glm zhipu zhipuai bigmodel minimax qwen dashscope alibaba github github-models',
  'cloudflare workers-ai cloudflare-workers-ai vercel ai-gateway baseten friendli scaleway upstage stepfun inference',
  'lmstudio vllm llamacpp llama-cpp custom openai-compatible',
].flatMap(line => line.split(' '))

/** Those that speak the messages format beside another one. */
const MESSAGES = [
  'deepseek fireworks ollama openrouter deepinfra zai z-ai glm zhipu zhipuai bigmodel minimax qwen dashscope alibaba vercel',
  'ai-gateway lmstudio vllm llamacpp llama-cpp copilot github-copilot bedrock',
].flatMap(line => line.split(' ').map(id => `${id}-messages`))

/** Those that speak the responses format beside another one. */
const RESPONSES = [
  'openai xai grok groq fireworks huggingface hf ollama openrouter perplexity bedrock qwen dashscope alibaba cloudflare',
  'workers-ai cloudflare-workers-ai vercel ai-gateway lmstudio vllm copilot github-copilot azure',
].flatMap(line => line.split(' ').map(id => `${id}-responses`))
const ALL = [...VENDORS, ...MESSAGES, ...RESPONSES]

const PLUGINS = {
  'chat-completions': chatCompletions,
  messages,
  responses,
  deployment,
  subscription,
  signed,
  'generate-content': generateContent,
}
const isPlugin = (name: string): name is keyof typeof PLUGINS => name in PLUGINS

const KEYLESS = /^(?:ollama|lmstudio|vllm|llamacpp|llama-cpp|custom|openai-compatible)(?:-messages|-responses)?$/
/** Their URL has a part that only the operator knows. */
const OPEN = ['azure', 'vertex', 'bedrock', 'bedrock-messages', 'bedrock-responses', 'custom', 'openai-compatible']

test('knows each vendor by all its names, and no other', () => {
  assert.equal(Object.keys(aliases).sort(), ALL.sort())
})

for (const id of ALL) {
  test(`${id} is lower case, and its row is accepted by the plugin`, () => {
    const alias = aliases[id]
    assert.is(id, id.toLowerCase())
    const use = alias?.use ?? ''
    if (!isPlugin(use)) throw new Error(`${id} uses ${use}`)
    assert.is(use === 'generate-content', ['gemini', 'google', 'vertex'].includes(id))
    assert.is(use === 'subscription', /^(?:github-)?copilot/.test(id))
    assert.is(
      use === 'responses',
      RESPONSES.includes(id) && use !== 'subscription' && use !== 'deployment' && use !== 'signed',
    )
    assert.is(
      use === 'messages',
      id === 'anthropic' || (MESSAGES.includes(id) && use !== 'subscription' && use !== 'signed'),
    )
    const open =
      OPEN.includes(id) || use === 'deployment' || /^cloudflare|workers-ai/.test(id)
        ? { url: 'https://filled.in', ...(use === 'deployment' && { api_version: 'v1' }) }
        : {}
    const result = PLUGINS[use].options.safeParse({ ...alias?.options, ...open })
    assert.ok(result.success, result.error?.message)
    assert.is(alias?.options.key_required, !KEYLESS.test(id))
  })
}

/** Where the vendors say that these endpoints are. */
const ENDPOINTS = {
  'deepseek-messages': 'https://api.deepseek.com/anthropic/v1/messages',
  'fireworks-messages': 'https://api.fireworks.ai/inference/v1/messages',
  'ollama-messages': 'http://localhost:11434/v1/messages',
  'openrouter-messages': 'https://openrouter.ai/api/v1/messages',
  'deepinfra-messages': 'https://api.deepinfra.com/anthropic/v1/messages',
  'zai-messages': 'https://api.z.ai/api/anthropic/v1/messages',
  'zhipu-messages': 'https://open.bigmodel.cn/api/anthropic/v1/messages',
  'minimax-messages': 'https://api.minimax.io/anthropic/v1/messages',
  'qwen-messages': 'https://dashscope-intl.aliyuncs.com/apps/anthropic/v1/messages',
  'vercel-messages': 'https://ai-gateway.vercel.sh/v1/messages',
  'lmstudio-messages': 'http://127.0.0.1:1234/v1/messages',
  'vllm-messages': 'http://localhost:8000/v1/messages',
  'llamacpp-messages': 'http://localhost:8080/v1/messages',
  'openai-responses': 'https://api.openai.com/v1/responses',
  'xai-responses': 'https://api.x.ai/v1/responses',
  'groq-responses': 'https://api.groq.com/openai/v1/responses',
  'fireworks-responses': 'https://api.fireworks.ai/inference/v1/responses',
  'huggingface-responses': 'https://router.huggingface.co/v1/responses',
  'ollama-responses': 'http://localhost:11434/v1/responses',
  'openrouter-responses': 'https://openrouter.ai/api/v1/responses',
  'perplexity-responses': 'https://api.perplexity.ai/v1/responses',
  'qwen-responses': 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/responses',
  'vercel-responses': 'https://ai-gateway.vercel.sh/v1/responses',
  'lmstudio-responses': 'http://127.0.0.1:1234/v1/responses',
  'vllm-responses': 'http://localhost:8000/v1/responses',
}
for (const [id, endpoint] of Object.entries(ENDPOINTS))
  test(`${id} is asked at ${endpoint}, for its vendor's model`, () => {
    const { url, model } = aliases[id]?.options ?? {}
    const called = id.endsWith('-messages') ? messagesUrl(String(url)) : responsesUrl(String(url))
    assert.is(called.href, endpoint)
    assert.is(model, aliases[id.replace(/-\w+$/, '')]?.options.model)
  })

test('keys go where each messages endpoint looks for them', () => {
  const auth = MESSAGES.filter(id => aliases[id]?.use === 'messages' && aliases[id]?.options.auth !== 'bearer')
  assert.equal(auth, ['deepseek-messages', 'minimax-messages'])
})

test('a URL with a hole is refused with the name of the hole', () => {
  const result = chatCompletions.options.safeParse(aliases.cloudflare?.options)
  assert.match(result.error?.message ?? '', 'account_id')
})

test('names of one vendor mean the same', () => assert.equal(aliases.kimi, aliases.moonshot))

test.run()
