import type { Preset } from './preset.ts'

/** Servers on this machine or in this network, where the operator chose the models; and any other server. */
export const LOCAL: readonly Preset[] = [
  {
    ids: ['ollama'],
    url: 'http://localhost:11434/v1',
    model: 'llama3.2',
    keyless: true,
    quirks: { drop_params: ['tool_choice', 'logit_bias', 'n', 'user'], tool_choices: ['auto'] },
    messages: { url: 'http://localhost:11434' },
    responses: {},
  },
  {
    ids: ['lmstudio'],
    url: 'http://127.0.0.1:1234/v1',
    keyless: true,
    quirks: { tool_choices: ['auto', 'none', 'required'], response_formats: ['text', 'json_schema'] },
    messages: { url: 'http://127.0.0.1:1234' },
    responses: {},
  },
  {
    ids: ['vllm'],
    url: 'http://localhost:8000/v1',
    keyless: true,
    messages: { url: 'http://localhost:8000' },
    responses: {},
  },
  {
    ids: ['llamacpp', 'llama-cpp'],
    url: 'http://localhost:8080/v1',
    keyless: true,
    messages: { url: 'http://localhost:8080' },
  },
  { ids: ['custom', 'openai-compatible'], keyless: true },
]
