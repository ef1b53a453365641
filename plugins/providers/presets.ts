import type { Quirks } from './upstream/quirks-schema.ts'

/** One vendor that speaks the chat-completions format, as of November 2026. Everything can be overridden in the pipeline file. */
export interface Preset {
  /** Vendor id first, then the other names it goes by; lower case. */
  readonly ids: readonly [string, ...string[]]
  /** Base URL. A `{name}` in it is for the operator to fill in; without a URL the operator must give one. */
  readonly url?: string
  /** A small, cheap model. Local servers have whatever was loaded, so none. */
  readonly model?: string
  /** Local servers and `custom` may run without a key. Default true. */
  readonly keyless?: true
  readonly headers?: Readonly<Record<string, string>>
  readonly quirks?: Quirks
}

/**
 * True of everybody who copied the format before its newer parts: the old name of the output cap, no `developer` role,
 * and a refusal of an empty tool list.
 */
export const COMPATIBLE: Quirks = { max_tokens_param: 'max_tokens', developer_role: 'system', drop_empty_tools: true }

/** OpenAI's reasoning models, under OpenAI's names and under those of hosts that put the vendor before them. */
const OPENAI_MODELS: Quirks['model_rules'] = [
  {
    match: '^(?:openai/)?o[0-9]',
    max_tokens_param: 'max_completion_tokens',
    drop_params: [
      'temperature',
      'top_p',
      'logprobs',
      'top_logprobs',
      'frequency_penalty',
      'presence_penalty',
      'logit_bias',
    ],
  },
  { match: '^(?:openai/)?o(?:3|4-mini)', drop_params: ['stop'] },
  {
    match: '^(?:openai/)?gpt-5(?!.*chat)',
    max_tokens_param: 'max_completion_tokens',
    drop_params: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'top_logprobs'],
  },
  { match: '^(?:openai/)?gpt-5(?!\\.[1-9])(?!.*chat)', drop_params: ['temperature', 'top_p', 'logprobs'] },
  { match: '^(?:openai/)?gpt-5\\.[1-9](?!.*chat)', drop_when_reasoning: ['temperature', 'top_p', 'logprobs'] },
  { match: '^(?:openai/)?gpt-5\\.[456]', tools_need_effort_none: true },
  { match: '^(?:openai/)?gpt-4o(?:-mini)?-search-preview', drop_params: ['temperature'] },
]

export const PRESETS: readonly Preset[] = [
  {
    ids: ['openai'],
    url: 'https://api.openai.com/v1',
    model: 'gpt-5.4-nano',
    quirks: { max_tokens_param: undefined, developer_role: 'keep', model_rules: OPENAI_MODELS },
  },
  {
    ids: ['xai', 'grok'],
    url: 'https://api.x.ai/v1',
    model: 'grok-4.20-0309-non-reasoning',
    quirks: {
      max_tokens_param: 'max_completion_tokens',
      drop_params: ['frequency_penalty', 'presence_penalty', 'top_k'],
      model_rules: [{ match: '^grok-(?:3-mini|4|code)(?!.*non-reasoning)', drop_params: ['stop'] }],
    },
  },
  {
    ids: ['gemini', 'google'], // the vendor's compatible endpoint
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    model: 'gemini-3.1-flash-lite',
    quirks: { drop_params: ['logit_bias', 'user', 'parallel_tool_calls'] },
  },
  {
    ids: ['mistral'],
    url: 'https://api.mistral.ai/v1',
    model: 'mistral-small-latest',
    quirks: {
      stream_usage: 'never',
      temperature: [0, 1.5],
      drop_params: ['logit_bias', 'logprobs', 'top_logprobs', 'user', 'store', 'metadata', 'service_tier'],
      rename_params: { seed: 'random_seed' },
      tool_choice_required: 'any',
      tool_call_ids: 'nine_alphanumeric',
      model_rules: [
        { match: '^(?!mistral-small-(?:2603|latest)|mistral-medium-3)', drop_params: ['reasoning_effort'] },
      ],
    },
  },
  {
    ids: ['groq'],
    url: 'https://api.groq.com/openai/v1',
    model: 'openai/gpt-oss-20b',
    quirks: {
      max_tokens_param: 'max_completion_tokens',
      drop_params: ['logprobs', 'top_logprobs', 'logit_bias'],
      drop_message_fields: ['name'],
    },
  },
  {
    ids: ['cerebras'],
    url: 'https://api.cerebras.ai/v1',
    model: 'gpt-oss-120b',
    quirks: {
      max_tokens_param: 'max_completion_tokens',
      drop_params: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier'],
      history_reasoning_field: 'reasoning',
    },
  },
  { ids: ['nebius'], url: 'https://api.tokenfactory.nebius.com/v1', model: 'Qwen/Qwen3-30B-A3B-Instruct-2507' },
  { ids: ['siliconflow'], url: 'https://api.siliconflow.com/v1', model: 'openai/gpt-oss-20b' },
  {
    ids: ['fireworks'],
    url: 'https://api.fireworks.ai/inference/v1',
    model: 'accounts/fireworks/models/gpt-oss-20b',
    quirks: { stream_usage: 'always' },
  },
  { ids: ['nvidia'], url: 'https://integrate.api.nvidia.com/v1', model: 'meta/llama-3.1-8b-instruct' },
  { ids: ['chutes'], url: 'https://llm.chutes.ai/v1', model: 'Qwen/Qwen3-32B-TEE' },
  {
    ids: ['deepseek'],
    url: 'https://api.deepseek.com',
    model: 'deepseek-v4-flash',
    quirks: { drop_params: ['seed', 'top_k', 'logit_bias', 'n'] },
  },
  {
    ids: ['cohere'], // the vendor's compatible endpoint
    url: 'https://api.cohere.ai/compatibility/v1',
    model: 'command-r7b-12-2024',
    quirks: { temperature: [0, 1] },
  },
  { ids: ['galadriel'], url: 'https://api.galadriel.com/v1/verified', model: 'gpt-4o' },
  { ids: ['hyperbolic'], url: 'https://api.hyperbolic.xyz/v1', model: 'meta-llama/Llama-3.3-70B-Instruct' },
  { ids: ['huggingface', 'hf'], url: 'https://router.huggingface.co/v1', model: 'openai/gpt-oss-20b' },
  { ids: ['mira'], url: 'https://api.mira.network/v1', model: 'gpt-4o' },
  {
    ids: ['moonshot', 'kimi'],
    url: 'https://api.moonshot.ai/v1',
    model: 'kimi-k2.6',
    quirks: {
      drop_params: ['seed', 'top_k', 'logit_bias'],
      model_rules: [{ match: '^kimi-k(?:2\\.[5-9]|[3-9])', drop_params: ['temperature'] }],
    },
  },
  {
    ids: ['ollama'],
    url: 'http://localhost:11434/v1',
    model: 'llama3.2',
    keyless: true,
    quirks: { drop_params: ['tool_choice', 'logit_bias', 'n', 'user'] },
  },
  {
    ids: ['openrouter'],
    url: 'https://openrouter.ai/api/v1',
    model: 'google/gemini-3.1-flash-lite',
    quirks: { stream_usage: 'always' },
  },
  {
    ids: ['perplexity'],
    url: 'https://api.perplexity.ai',
    model: 'sonar',
    quirks: { stream_usage: 'always', drop_params: ['stop', 'seed', 'tools', 'tool_choice', 'logit_bias', 'n'] },
  },
  { ids: ['together', 'togetherai'], url: 'https://api.together.xyz/v1', model: 'openai/gpt-oss-20b' },
  {
    ids: ['bedrock'],
    url: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
    model: 'openai.gpt-oss-20b-1:0',
  },
  { ids: ['sambanova'], url: 'https://api.sambanova.ai/v1', model: 'Meta-Llama-3.3-70B-Instruct' },
  { ids: ['novita', 'novita-ai'], url: 'https://api.novita.ai/openai/v1', model: 'openai/gpt-oss-20b' },
  { ids: ['deepinfra'], url: 'https://api.deepinfra.com/v1/openai', model: 'openai/gpt-oss-20b' },
  {
    ids: ['zai', 'z-ai', 'glm'],
    url: 'https://api.z.ai/api/paas/v4',
    model: 'glm-4.7-flash',
    quirks: { stream_usage: 'always', temperature: [0, 1] },
  },
  {
    ids: ['zhipu', 'zhipuai', 'bigmodel'],
    url: 'https://open.bigmodel.cn/api/paas/v4',
    model: 'glm-4.7-flash',
    quirks: { stream_usage: 'always', temperature: [0, 1] },
  },
  { ids: ['minimax'], url: 'https://api.minimax.io/v1', model: 'MiniMax-M2.7', quirks: { temperature: [0.01, 1] } },
  {
    ids: ['qwen', 'dashscope', 'alibaba'],
    url: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    model: 'qwen3.6-flash',
    quirks: { temperature: [0, 1.99], drop_params: ['frequency_penalty', 'logit_bias'] },
  },
  {
    ids: ['github', 'github-models'],
    url: 'https://models.github.ai/inference',
    model: 'openai/gpt-4.1-mini',
    headers: { 'x-github-api-version': '2022-11-28' },
    quirks: { max_tokens_param: undefined, model_rules: OPENAI_MODELS },
  },
  {
    ids: ['cloudflare', 'workers-ai', 'cloudflare-workers-ai'],
    url: 'https://api.cloudflare.com/client/v4/accounts/{account_id}/ai/v1',
    model: '@cf/openai/gpt-oss-20b',
  },
  { ids: ['vercel', 'ai-gateway'], url: 'https://ai-gateway.vercel.sh/v1', model: 'openai/gpt-5.4-nano' },
  { ids: ['baseten'], url: 'https://inference.baseten.co/v1', model: 'openai/gpt-oss-120b' },
  { ids: ['friendli'], url: 'https://api.friendli.ai/serverless/v1', model: 'meta-llama/Llama-3.3-70B-Instruct' },
  { ids: ['scaleway'], url: 'https://api.scaleway.ai/v1', model: 'gpt-oss-120b' },
  { ids: ['upstage'], url: 'https://api.upstage.ai/v1', model: 'solar-mini' },
  { ids: ['stepfun'], url: 'https://api.stepfun.com/v1', model: 'step-3.5-flash' },
  { ids: ['inference'], url: 'https://api.inference.net/v1', model: 'meta-llama/llama-3.1-8b-instruct/fp-8' },
  { ids: ['lmstudio'], url: 'http://127.0.0.1:1234/v1', keyless: true },
  { ids: ['vllm'], url: 'http://localhost:8000/v1', keyless: true },
  { ids: ['llamacpp', 'llama-cpp'], url: 'http://localhost:8080/v1', keyless: true },
  { ids: ['custom', 'openai-compatible'], keyless: true },
]
