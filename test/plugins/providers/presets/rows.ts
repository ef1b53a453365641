/** What each vendor is known to want, written apart from the presets, so that it can contradict them. */
export interface Row {
  /** Where a chat goes. */
  readonly url: string
  /** The model that is asked for when nobody names one. */
  readonly model?: string
  /** Answers without a key. */
  readonly keyless?: true
  /** Headers that it wants, beside the key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Fields that it refuses. */
  readonly refuses?: readonly string[]
  /** Fields of messages that it refuses. */
  readonly refusesInMessages?: readonly string[]
  /** The one field from which it reads the output cap. Default: `max_tokens`. */
  readonly cap?: 'max_completion_tokens'
  /** Fields that it wants in place of ours. */
  readonly wants?: Readonly<Record<string, unknown>>
  /** Knows the role `developer`. */
  readonly developer?: true
  /** Knows no role `system`. */
  readonly noSystem?: true
  /** Wants user and assistant by turns. */
  readonly alternates?: true
  readonly efforts?: readonly string[]
  /** What it takes as `tool_choice`; names it in a word of its own. Default: all. */
  readonly choices?: readonly string[]
  readonly formats?: readonly string[]
  readonly noTools?: true
  readonly temperature?: readonly [number, number]
  readonly shortIds?: true
  /** The longest id of a tool call that it takes. */
  readonly longestId?: number
  /** When it tells the usage of a stream, and where. Default: in a chunk of its own, if asked. */
  readonly usage?: 'always' | 'never asked' | 'x_groq' | 'choice'
  /** The field of its reasoning. Default: `reasoning_content`. */
  readonly reasoning?: 'reasoning' | 'thinking part'
  readonly plainSchemas?: true
  readonly streamsOnly?: string
}

const OPENAI: Row = {
  url: 'https://api.openai.com/v1/chat/completions',
  model: 'gpt-5.4-nano',
  cap: 'max_completion_tokens',
  longestId: 40,
  developer: true,
  refuses: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'top_logprobs', 'temperature', 'top_p'],
  refusesInMessages: ['reasoning_content', 'reasoning', 'reasoning_details'],
}
const GLM: Row = {
  url: '',
  model: 'glm-4.7-flash',
  usage: 'always',
  temperature: [0, 1],
  choices: ['auto'],
  formats: ['text', 'json_object'],
  wants: { thinking: { type: 'enabled' } },
  refuses: ['reasoning_effort'],
}

export const ROWS: Readonly<Record<string, Row>> = {
  openai: OPENAI,
  xai: {
    url: 'https://api.x.ai/v1/chat/completions',
    model: 'grok-4.20-0309-non-reasoning',
    cap: 'max_completion_tokens',
    refuses: ['frequency_penalty', 'presence_penalty', 'top_k', 'reasoning_effort'],
  },
  'gemini-compatible': {
    url: 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions',
    model: 'gemini-3.1-flash-lite',
    refuses: ['logit_bias', 'user', 'parallel_tool_calls'],
  },
  mistral: {
    url: 'https://api.mistral.ai/v1/chat/completions',
    model: 'mistral-small-latest',
    usage: 'never asked',
    temperature: [0, 1.5],
    refuses: ['stream_options', 'logit_bias', 'top_logprobs', 'user', 'store', 'metadata', 'service_tier', 'seed'],
    refusesInMessages: ['reasoning_content', 'reasoning'],
    wants: { random_seed: 7 },
    efforts: ['none', 'high'],
    choices: ['auto', 'none', 'any', 'named'],
    shortIds: true,
    reasoning: 'thinking part',
  },
  groq: {
    url: 'https://api.groq.com/openai/v1/chat/completions',
    model: 'openai/gpt-oss-20b',
    cap: 'max_completion_tokens',
    refuses: ['top_logprobs', 'logit_bias'],
    refusesInMessages: ['name', 'reasoning_content'],
    usage: 'x_groq',
    reasoning: 'reasoning',
  },
  cerebras: {
    url: 'https://api.cerebras.ai/v1/chat/completions',
    model: 'gpt-oss-120b',
    cap: 'max_completion_tokens',
    refuses: ['frequency_penalty', 'presence_penalty', 'logit_bias', 'service_tier'],
    refusesInMessages: ['reasoning_content'],
    reasoning: 'reasoning',
  },
  nebius: {
    url: 'https://api.tokenfactory.nebius.com/v1/chat/completions',
    model: 'Qwen/Qwen3-30B-A3B-Instruct-2507',
  },
  siliconflow: { url: 'https://api.siliconflow.com/v1/chat/completions', model: 'openai/gpt-oss-20b' },
  fireworks: {
    url: 'https://api.fireworks.ai/inference/v1/chat/completions',
    model: 'accounts/fireworks/models/gpt-oss-20b',
    usage: 'always',
  },
  nvidia: { url: 'https://integrate.api.nvidia.com/v1/chat/completions', model: 'meta/llama-3.1-8b-instruct' },
  chutes: { url: 'https://llm.chutes.ai/v1/chat/completions', model: 'Qwen/Qwen3-32B-TEE' },
  deepseek: {
    url: 'https://api.deepseek.com/chat/completions',
    model: 'deepseek-v4-flash',
    refuses: ['seed', 'top_k', 'logit_bias', 'n'],
    formats: ['text', 'json_object'],
    wants: { thinking: { type: 'enabled' } },
    efforts: ['low', 'medium', 'high', 'max'],
  },
  cohere: {
    url: 'https://api.cohere.ai/compatibility/v1/chat/completions',
    model: 'command-r7b-12-2024',
    temperature: [0, 1],
    choices: ['required', 'none'],
    efforts: ['none', 'high'],
  },
  galadriel: { url: 'https://api.galadriel.com/v1/verified/chat/completions', model: 'gpt-4o' },
  hyperbolic: {
    url: 'https://api.hyperbolic.xyz/v1/chat/completions',
    model: 'meta-llama/Llama-3.3-70B-Instruct',
  },
  huggingface: { url: 'https://router.huggingface.co/v1/chat/completions', model: 'openai/gpt-oss-20b' },
  mira: {
    url: 'https://api.mira.network/v1/chat/completions',
    model: 'gpt-4o',
    noTools: true,
    noSystem: true,
    formats: ['text'],
  },
  moonshot: {
    url: 'https://api.moonshot.ai/v1/chat/completions',
    model: 'kimi-k2.6',
    refuses: ['seed', 'top_k', 'temperature', 'logit_bias', 'reasoning_effort'],
    wants: { thinking: { type: 'enabled' } },
    usage: 'choice',
    plainSchemas: true,
  },
  ollama: {
    url: 'http://localhost:11434/v1/chat/completions',
    model: 'llama3.2',
    keyless: true,
    refuses: ['tool_choice', 'logit_bias', 'n', 'user'],
    choices: [],
    reasoning: 'reasoning',
  },
  openrouter: {
    url: 'https://openrouter.ai/api/v1/chat/completions',
    model: 'google/gemini-3.1-flash-lite',
    usage: 'always',
    reasoning: 'reasoning',
  },
  perplexity: {
    url: 'https://api.perplexity.ai/chat/completions',
    model: 'sonar',
    usage: 'always',
    refuses: ['stop', 'seed', 'tool_choice', 'logit_bias', 'n'],
    formats: ['text', 'json_schema'],
    noTools: true,
    alternates: true,
  },
  together: {
    url: 'https://api.together.xyz/v1/chat/completions',
    model: 'openai/gpt-oss-20b',
    reasoning: 'reasoning',
  },
  bedrock: {
    url: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1/chat/completions',
    model: 'openai.gpt-oss-20b-1:0',
  },
  sambanova: {
    url: 'https://api.sambanova.ai/v1/chat/completions',
    model: 'Meta-Llama-3.3-70B-Instruct',
    reasoning: 'reasoning',
  },
  novita: { url: 'https://api.novita.ai/openai/v1/chat/completions', model: 'openai/gpt-oss-20b' },
  deepinfra: { url: 'https://api.deepinfra.com/v1/openai/chat/completions', model: 'openai/gpt-oss-20b' },
  zai: { ...GLM, url: 'https://api.z.ai/api/paas/v4/chat/completions' },
  zhipu: { ...GLM, url: 'https://open.bigmodel.cn/api/paas/v4/chat/completions' },
  minimax: {
    url: 'https://api.minimax.io/v1/chat/completions',
    model: 'MiniMax-M2.7',
    temperature: [0.01, 1],
  },
  qwen: {
    url: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1/chat/completions',
    model: 'qwen3.6-flash',
    temperature: [0, 1.99],
    refuses: ['frequency_penalty', 'logit_bias', 'reasoning_effort'],
    choices: ['auto', 'none', 'named'],
    wants: { enable_thinking: true },
    streamsOnly: 'qwen3-235b-a22b-thinking-2507',
  },
  github: {
    url: 'https://models.github.ai/inference/chat/completions',
    model: 'openai/gpt-4.1-mini',
    headers: { 'x-github-api-version': '2022-11-28' },
    refusesInMessages: ['reasoning_content', 'reasoning', 'reasoning_details'],
  },
  cloudflare: {
    url: 'https://api.cloudflare.com/client/v4/accounts/{account_id}/ai/v1/chat/completions',
    model: '@cf/openai/gpt-oss-20b',
  },
  vercel: {
    url: 'https://ai-gateway.vercel.sh/v1/chat/completions',
    model: 'openai/gpt-5.4-nano',
    reasoning: 'reasoning',
  },
  baseten: { url: 'https://inference.baseten.co/v1/chat/completions', model: 'openai/gpt-oss-120b' },
  friendli: {
    url: 'https://api.friendli.ai/serverless/v1/chat/completions',
    model: 'meta-llama/Llama-3.3-70B-Instruct',
  },
  scaleway: { url: 'https://api.scaleway.ai/v1/chat/completions', model: 'gpt-oss-120b' },
  upstage: { url: 'https://api.upstage.ai/v1/chat/completions', model: 'solar-mini' },
  stepfun: { url: 'https://api.stepfun.com/v1/chat/completions', model: 'step-3.5-flash' },
  inference: {
    url: 'https://api.inference.net/v1/chat/completions',
    model: 'meta-llama/llama-3.1-8b-instruct/fp-8',
  },
  lmstudio: {
    url: 'http://127.0.0.1:1234/v1/chat/completions',
    keyless: true,
    choices: ['auto', 'none', 'required'],
    formats: ['text', 'json_schema'],
  },
  vllm: { url: 'http://localhost:8000/v1/chat/completions', keyless: true, reasoning: 'reasoning' },
  llamacpp: { url: 'http://localhost:8080/v1/chat/completions', keyless: true },
}
