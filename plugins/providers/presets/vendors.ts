import { OPENAI } from './openai-models.ts'
import { EVERY_SETTING, type Preset } from './preset.ts'

/** Two names of one product, for two parts of the world. */
const GLM: Pick<Preset, 'model' | 'quirks'> = {
  model: 'glm-4.7-flash',
  quirks: {
    stream_usage: 'always',
    temperature: [0, 1],
    tool_choices: ['auto'],
    response_formats: ['text', 'json_object'],
    model_rules: [{ match: '^glm-(?:4\\.[5-9]|[5-9])', thinking_switch: 'thinking' }],
  },
}

/** Those who make the models they serve. */
export const VENDORS: readonly Preset[] = [
  {
    id: 'openai',
    keyForm: '^sk-(?:proj|svcacct|admin)-|^sk-[A-Za-z0-9]+T3BlbkFJ',
    url: 'https://api.openai.com/v1',
    model: 'gpt-5.4-nano',
    quirks: OPENAI,
    web_search: { settings: ['user_location'], models: '-search-' },
    responses: { web_search: { settings: EVERY_SETTING } },
  },
  {
    id: 'xai',
    keyForm: '^xai-',
    url: 'https://api.x.ai/v1',
    model: 'grok-4.20-0309-non-reasoning',
    quirks: {
      max_tokens_param: 'max_completion_tokens',
      drop_params: ['frequency_penalty', 'presence_penalty', 'top_k'],
      model_rules: [
        { match: '^grok-(?:3-mini|4|code)(?!.*non-reasoning)', drop_params: ['stop'] },
        // The others think as they like, or not at all, and refuse the field.
        {
          match: '^grok-(?!3-mini|4\\.20-multi-agent|4\\.[3-9](?!\\d)|[5-9]|latest)',
          drop_params: ['reasoning_effort'],
        },
        { match: '^grok-3-mini', efforts: ['low', 'high'] },
        { match: '^grok-4\\.3', efforts: ['none', 'low', 'medium', 'high'] },
        { match: '^grok-4\\.[56]', efforts: ['low', 'medium', 'high'] },
      ],
    },
    responses: { web_search: { models: '^grok-[4-9]' } },
  },
  {
    id: 'gemini',
    endpoint: '-compatible', // without thought signatures; `gemini` speaks the vendor's own format
    url: 'https://generativelanguage.googleapis.com/v1beta/openai',
    model: 'gemini-3.1-flash-lite',
    quirks: { drop_params: ['logit_bias', 'user', 'parallel_tool_calls'] },
  },
  {
    id: 'mistral',
    url: 'https://api.mistral.ai/v1',
    model: 'mistral-small-latest',
    quirks: {
      stream_usage: 'never',
      temperature: [0, 1.5],
      // A field that it does not know makes the vendor refuse the call, so this names those that clients really send.
      drop_params: [
        'logit_bias',
        'logprobs',
        'top_logprobs',
        'user',
        'store',
        'metadata',
        'service_tier',
        'safety_identifier',
        'prompt_cache_key',
        'prompt_cache_retention',
        'prompt_cache_options',
        'verbosity',
        'top_k',
      ],
      rename_params: { seed: 'random_seed' },
      tool_choice_required: 'any',
      tool_call_ids: 'nine_alphanumeric',
      drop_message_fields: ['reasoning_content', 'reasoning', 'reasoning_details'],
      model_rules: [
        { match: '^(?!mistral-small-(?:2603|latest)|mistral-medium-3)', drop_params: ['reasoning_effort'] },
        { match: '^mistral-(?:small-(?:2603|latest)|medium-3)', efforts: ['none', 'high'] },
      ],
    },
  },
  {
    id: 'deepseek',
    url: 'https://api.deepseek.com',
    model: 'deepseek-v4-flash',
    quirks: {
      drop_params: ['seed', 'top_k', 'logit_bias', 'n'],
      response_formats: ['text', 'json_object'],
      thinking_switch: 'thinking',
      calls_need_reasoning: true,
      efforts: ['low', 'medium', 'high', 'max'],
    },
    messages: { url: 'https://api.deepseek.com/anthropic', auth: 'x-api-key' },
  },
  {
    id: 'cohere', // the vendor's compatible endpoint
    url: 'https://api.cohere.ai/compatibility/v1',
    model: 'command-r7b-12-2024',
    models: null,
    quirks: {
      temperature: [0, 1],
      drop_params: ['parallel_tool_calls'],
      tool_choices: ['required', 'none'],
      efforts: ['none', 'high'],
    },
  },
  {
    id: 'moonshot',
    url: 'https://api.moonshot.ai/v1',
    model: 'kimi-k2.6',
    quirks: {
      drop_params: ['seed', 'top_k', 'logit_bias'],
      plain_tool_schemas: true,
      model_rules: [
        { match: '^kimi-k(?:2\\.[5-9]|[3-9])', drop_params: ['temperature'] },
        // https://github.com/anomalyco/opencode/issues/16318
        { match: '^kimi-k2\\.[5-9]', thinking_switch: 'thinking', calls_need_reasoning: true },
        { match: '^kimi-k3', efforts: ['low', 'high', 'max'] },
      ],
    },
  },
  {
    id: 'perplexity',
    url: 'https://api.perplexity.ai',
    model: 'sonar',
    models: null,
    quirks: {
      stream_usage: 'always',
      drop_params: ['stop', 'seed', 'tools', 'tool_choice', 'logit_bias', 'n'],
      response_formats: ['text', 'json_schema'],
      alternate_roles: true,
    },
    web_search: { models: '^sonar' },
    responses: { url: 'https://api.perplexity.ai/v1' },
  },
  {
    id: 'zai',
    url: 'https://api.z.ai/api/paas/v4',
    ...GLM,
    messages: { url: 'https://api.z.ai/api/anthropic' },
  },
  {
    id: 'zhipu',
    url: 'https://open.bigmodel.cn/api/paas/v4',
    ...GLM,
    messages: { url: 'https://open.bigmodel.cn/api/anthropic' },
  },
  {
    id: 'minimax',
    url: 'https://api.minimax.io/v1',
    model: 'MiniMax-M2.7',
    models: null,
    quirks: { temperature: [0.01, 1], drop_params: ['n'] },
    messages: { url: 'https://api.minimax.io/anthropic', auth: 'x-api-key' },
  },
  {
    id: 'qwen',
    url: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    model: 'qwen3.6-flash',
    quirks: {
      temperature: [0, 1.99],
      drop_params: ['frequency_penalty', 'logit_bias'],
      tool_choices: ['auto', 'none', 'named'],
      thinking_switch: 'enable_thinking',
      model_rules: [
        // Models with open weights are named after their size; those that think do so only in streams.
        { match: '^(?:qwq|qvq|qwen3.*\\d+b)(?!.*instruct)', stream_only: true },
        { match: '^(?:qwq|qvq)|thinking', always_thinks: true },
      ],
    },
    messages: { url: 'https://dashscope-intl.aliyuncs.com/apps/anthropic' },
    responses: {},
  },
  { id: 'upstage', url: 'https://api.upstage.ai/v1', model: 'solar-mini' },
  { id: 'stepfun', url: 'https://api.stepfun.com/v1', model: 'step-3.5-flash' },
]
