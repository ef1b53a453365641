import type { Preset } from './preset.ts'

/** Servers on this machine or in this network, where the operator chose the models; and any other server. */
export const LOCAL: readonly Preset[] = [
  {
    id: 'ollama',
    url: 'http://localhost:11434/v1',
    model: 'llama3.2',
    keyless: true,
    quirks: { drop_params: ['tool_choice', 'logit_bias', 'n', 'user'], tool_choices: ['auto'] },
    messages: { url: 'http://localhost:11434' },
    responses: {},
  },
  {
    id: 'lmstudio',
    url: 'http://127.0.0.1:1234/v1',
    keyless: true,
    quirks: { tool_choices: ['auto', 'none', 'required'], response_formats: ['text', 'json_schema'] },
    messages: { url: 'http://127.0.0.1:1234' },
    responses: {},
  },
  {
    id: 'vllm',
    url: 'http://localhost:8000/v1',
    keyless: true,
    messages: { url: 'http://localhost:8000' },
    responses: {},
  },
  {
    id: 'llamacpp',
    url: 'http://localhost:8080/v1',
    keyless: true,
    messages: { url: 'http://localhost:8080' },
  },
  { id: 'custom', keyless: true },
]
