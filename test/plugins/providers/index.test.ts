import type { Plugin } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import chatCompletions from '../../../plugins/providers/chat-completions.ts'
import generateContent from '../../../plugins/providers/generate-content.ts'
import { aliases } from '../../../plugins/providers/index.ts'
import messages from '../../../plugins/providers/messages.ts'
import responses from '../../../plugins/providers/responses.ts'

/** Every vendor of the reference, with its other names. */
const VENDORS = [
  'openai anthropic xai grok gemini google mistral groq cerebras nebius siliconflow fireworks nvidia chutes deepseek cohere',
  'galadriel hyperbolic huggingface hf mira moonshot kimi ollama openrouter perplexity together togetherai bedrock sambanova',
  'novita novita-ai deepinfra zai z-ai glm zhipu zhipuai bigmodel minimax qwen dashscope alibaba github github-models',
  'cloudflare workers-ai cloudflare-workers-ai vercel ai-gateway baseten friendli scaleway upstage stepfun inference',
  'lmstudio vllm llamacpp llama-cpp custom openai-compatible openai-responses',
].flatMap(line => line.split(' '))

const KEYLESS = ['ollama', 'lmstudio', 'vllm', 'llamacpp', 'llama-cpp', 'custom', 'openai-compatible']
/** They speak another format. */
const OTHERS: Readonly<Record<string, Plugin>> = {
  anthropic: messages,
  'openai-responses': responses,
  gemini: generateContent,
  google: generateContent,
}
/** Their URL has a part that only the operator knows. */
const OPEN = ['bedrock', 'cloudflare', 'workers-ai', 'cloudflare-workers-ai', 'custom', 'openai-compatible']

test('knows each vendor by all its names, and no other', () => {
  assert.equal(Object.keys(aliases).sort(), [...VENDORS].sort())
})

for (const id of VENDORS) {
  test(`${id} is lower case, and its row is accepted by the plugin`, () => {
    const alias = aliases[id]
    assert.is(id, id.toLowerCase())
    const plugin = OTHERS[id] ?? chatCompletions
    assert.is(alias?.use, plugin.name)
    const url = OPEN.includes(id) ? { url: 'https://filled.in/v1' } : {}
    const result = plugin.options.safeParse({ ...alias?.options, ...url })
    assert.ok(result.success, result.error?.message)
    assert.is(alias?.options.key_required, !KEYLESS.includes(id))
  })
}

test('a URL with a hole is refused with the name of the hole', () => {
  const result = chatCompletions.options.safeParse(aliases.cloudflare?.options)
  assert.match(result.error?.message ?? '', 'account_id')
})

test('names of one vendor mean the same', () => assert.equal(aliases.kimi, aliases.moonshot))

test.run()
