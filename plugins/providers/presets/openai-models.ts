import { UNREASONING } from 'deflector/formats/effort-words'
import type { Quirks } from '../upstream/quirks-schema.ts'

const SAMPLING = ['temperature', 'top_p', 'logprobs']
const REASONING = ['frequency_penalty', 'presence_penalty', 'logit_bias', 'top_logprobs']
/** It never shows what its models think, and takes back no thinking of others. */
const THINKING = ['reasoning_content', 'reasoning', 'reasoning_details']

/** OpenAI's reasoning models, under OpenAI's names and under those of hosts that put the vendor before them. */
const OPENAI_MODELS: Quirks['model_rules'] = [
  {
    match: '^(?:openai/)?o[0-9]',
    max_tokens_param: 'max_completion_tokens',
    drop_params: [...SAMPLING, ...REASONING],
  },
  { match: '^(?:openai/)?o(?:3|4-mini)', drop_params: ['stop'] },
  {
    match: '^(?:openai/)?gpt-5(?!.*chat)',
    max_tokens_param: 'max_completion_tokens',
    drop_params: REASONING,
  },
  { match: '^(?:openai/)?gpt-5(?!\\.[1-9])(?!.*chat)', drop_params: SAMPLING },
  { match: '^(?:openai/)?gpt-5\\.[1-9](?!.*chat)', drop_when_reasoning: SAMPLING },
  { match: '^(?:openai/)?gpt-5\\.[456]', tools_need_effort_none: true },
  { match: '^(?:openai/)?gpt-4o(?:-mini)?-search-preview', drop_params: ['temperature'] },
  { match: UNREASONING.source, drop_params: ['reasoning_effort', 'verbosity'] },
  { match: '^openai/(?!gpt-oss)', drop_message_fields: THINKING },
]

/** Where OpenAI's own endpoints, and those that host nothing else, differ from the copies of them. */
export const OPENAI: Quirks = {
  custom_tools: true,
  max_tokens_param: undefined,
  developer_role: 'keep',
  tool_call_ids: 'forty_characters',
  drop_message_fields: THINKING,
  model_rules: OPENAI_MODELS,
}

/** The same for hosts that have other vendors' models beside OpenAI's. */
export const AMONG_OTHERS: Quirks = { model_rules: OPENAI_MODELS }
