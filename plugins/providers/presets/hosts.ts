import { AMONG_OTHERS } from './openai-models.ts'
import type { Preset } from './preset.ts'

/** Those who serve other people's models. */
export const HOSTS: readonly Preset[] = [
  {
    id: 'groq',
    keyForm: '^gsk_',
    url: 'https://api.groq.com/openai/v1',
    model: 'openai/gpt-oss-20b',
    quirks: {
      max_tokens_param: 'max_completion_tokens',
      drop_params: ['logprobs', 'top_logprobs', 'logit_bias', 'n'],
      drop_message_fields: ['name', 'reasoning_content', 'reasoning_details'],
      model_rules: [{ match: '^openai/gpt-oss', history_reasoning_field: 'reasoning' }],
    },
    responses: {},
  },
  {
    id: 'cerebras',
    keyForm: '^csk-',
    url: 'https://api.cerebras.ai/v1',
    model: 'gpt-oss-120b',
    quirks: {
      max_tokens_param: 'max_completion_tokens',
      drop_params: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier'],
      history_reasoning_field: 'reasoning',
    },
  },
  { id: 'nebius', url: 'https://api.tokenfactory.nebius.com/v1', model: 'Qwen/Qwen3-30B-A3B-Instruct-2507' },
  {
    id: 'siliconflow',
    url: 'https://api.siliconflow.com/v1',
    model: 'openai/gpt-oss-20b',
    // Other models refuse the field.
    quirks: {
      model_rules: [
        {
          match: '(?:Qwen3(?!.*Instruct)|Hunyuan-A13B|GLM-4\\.[5-9]|DeepSeek-V3\\.[1-9])',
          thinking_switch: 'enable_thinking',
        },
      ],
    },
  },
  {
    id: 'fireworks',
    url: 'https://api.fireworks.ai/inference/v1',
    model: 'accounts/fireworks/models/gpt-oss-20b',
    quirks: { stream_usage: 'always' },
    messages: {},
    responses: {},
  },
  { id: 'nvidia', url: 'https://integrate.api.nvidia.com/v1', model: 'meta/llama-3.1-8b-instruct' },
  { id: 'chutes', url: 'https://llm.chutes.ai/v1', model: 'Qwen/Qwen3-32B-TEE' },
  { id: 'galadriel', url: 'https://api.galadriel.com/v1/verified', model: 'gpt-4o', models: null },
  { id: 'hyperbolic', url: 'https://api.hyperbolic.xyz/v1', model: 'meta-llama/Llama-3.3-70B-Instruct' },
  {
    id: 'huggingface',
    keyForm: '^hf_',
    url: 'https://router.huggingface.co/v1',
    model: 'openai/gpt-oss-20b',
    responses: {},
  },
  {
    id: 'mira', // text alone
    url: 'https://api.mira.network/v1',
    model: 'gpt-4o',
    quirks: { system_role: 'user', drop_params: ['tools', 'tool_choice'], response_formats: ['text'] },
  },
  {
    id: 'openrouter',
    keyForm: '^sk-or-',
    url: 'https://openrouter.ai/api/v1',
    model: 'google/gemini-3.1-flash-lite',
    quirks: { stream_usage: 'always', require_parameters: true },
    messages: {},
    responses: {},
  },
  { id: 'together', url: 'https://api.together.xyz/v1', model: 'openai/gpt-oss-20b' },
  { id: 'sambanova', url: 'https://api.sambanova.ai/v1', model: 'Meta-Llama-3.3-70B-Instruct' },
  { id: 'novita', url: 'https://api.novita.ai/openai/v1', model: 'openai/gpt-oss-20b' },
  {
    id: 'deepinfra',
    url: 'https://api.deepinfra.com/v1/openai',
    model: 'openai/gpt-oss-20b',
    messages: { url: 'https://api.deepinfra.com/anthropic' },
  },
  {
    id: 'github',
    url: 'https://models.github.ai/inference',
    model: 'openai/gpt-4.1-mini',
    headers: { 'x-github-api-version': '2022-11-28' },
    models: '../catalog/models',
    quirks: AMONG_OTHERS,
  },
  {
    id: 'cloudflare',
    url: 'https://api.cloudflare.com/client/v4/accounts/{account_id}/ai/v1',
    model: '@cf/openai/gpt-oss-20b',
    models: null,
    responses: {},
  },
  {
    id: 'vercel',
    url: 'https://ai-gateway.vercel.sh/v1',
    model: 'openai/gpt-5.4-nano',
    messages: {},
    responses: {},
  },
  { id: 'baseten', url: 'https://inference.baseten.co/v1', model: 'openai/gpt-oss-120b' },
  { id: 'friendli', url: 'https://api.friendli.ai/serverless/v1', model: 'meta-llama/Llama-3.3-70B-Instruct' },
  { id: 'scaleway', url: 'https://api.scaleway.ai/v1', model: 'gpt-oss-120b' },
  { id: 'inference', url: 'https://api.inference.net/v1', model: 'meta-llama/llama-3.1-8b-instruct/fp-8' },
]
