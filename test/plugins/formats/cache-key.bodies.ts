import type { Dialect, JsonObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { keyRules as contentRules } from '../../../plugins/formats/generate-content/key-rules.ts'
import { keyRules as responsesRules } from '../../../plugins/formats/responses/key-rules.ts'
import { plainFormat } from '../../contracts/host.ts'

/** A dialect that takes any body, so that a test may break one, with the rules and headers of another. */
const like = ({ keyRules, headers }: Pick<Dialect, 'keyRules' | 'headers'>): Dialect => ({
  ...plainFormat,
  ...(keyRules && { keyRules }),
  ...(headers && { headers }),
})

/** Rich bodies of each dialect, and the paths in them that must not count. Nothing else may be free. */
export interface Sample {
  readonly dialect: Dialect
  readonly body: JsonObject
  /** Paths whose value may change, or go, without another key. */
  readonly free: readonly string[]
}

const schema = {
  type: 'object',
  properties: { path: { type: 'string', default: null }, cache_control: { type: 'string' }, id: { type: 'integer' } },
  required: ['path', 'cache_control'],
}

export const samples: Readonly<Record<string, Sample>> = {
  'chat-completions': {
    dialect: like(chatCompletions),
    body: {
      model: 'gpt-5',
      stream: true,
      stream_options: { include_usage: true },
      user: 'u-1',
      safety_identifier: 's-1',
      metadata: { thread_id: 't', note: 'n' },
      prompt_cache_key: 'k-1',
      prompt_cache_retention: '24h',
      session_id: 's',
      store: false,
      service_tier: 'auto',
      temperature: 0.7,
      top_p: 1,
      n: 1,
      seed: 42,
      max_tokens: 100,
      max_completion_tokens: 200,
      stop: ['END', 'STOP'],
      presence_penalty: 0,
      frequency_penalty: -0.5,
      logit_bias: { '50256': -100 },
      logprobs: false,
      parallel_tool_calls: true,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'out', strict: true, schema } },
      tool_choice: { type: 'function', function: { name: 'read' } },
      tools: [
        {
          type: 'function',
          cache_control: { type: 'ephemeral' },
          function: { name: 'read', description: 'Reads', strict: true, parameters: schema },
        },
      ],
      unheard_of: { deep: [{ er: 1 }] },
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          name: 'ann',
          content: [
            { type: 'text', text: 'What is this?', cache_control: { type: 'ephemeral', ttl: '1h' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_a', type: 'function', function: { name: 'read', arguments: '{"path":"a","id":1}' } },
            { id: 'call_b', type: 'function', function: { name: 'read', arguments: '{"path":"b","id":2}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_a', content: 'one' },
        { role: 'tool', tool_call_id: 'call_b', content: 'two' },
        { role: 'user', content: 'And now?' },
      ],
    },
    free: [
      'model',
      'stream',
      'stream_options',
      'stream_options.include_usage',
      'user',
      'safety_identifier',
      'metadata',
      'metadata.thread_id',
      'metadata.note',
      'prompt_cache_key',
      'prompt_cache_retention',
      'session_id',
      'tools.0.cache_control',
      'tools.0.cache_control.type',
      'messages.1.content.0.cache_control',
      'messages.1.content.0.cache_control.type',
      'messages.1.content.0.cache_control.ttl',
    ],
  },
  messages: {
    dialect: like(messages),
    body: {
      model: 'claude-opus-5',
      max_tokens: 1024,
      stream: false,
      metadata: { user_id: 'u' },
      cache_control: { type: 'ephemeral' },
      thinking: { type: 'enabled', budget_tokens: 2000 },
      output_config: { effort: 'high', format: { type: 'json_schema', schema } },
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      stop_sequences: ['END'],
      temperature: 1,
      top_k: 40,
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.329.bbc; cc_entrypoint=cli;' },
        { type: 'text', text: 'You are brief.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'cwd: /home/ann' },
      ],
      tools: [
        {
          name: 'read',
          description: 'Reads',
          input_schema: schema,
          input_examples: [{ path: 'a', cache_control: 'x', id: 1 }],
          cache_control: { type: 'ephemeral' },
        },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
      ],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Read a.', cache_control: { type: 'ephemeral' } },
            { type: 'text', text: 'Please.' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'sig==' },
            {
              type: 'tool_use',
              id: 'toolu_1',
              name: 'read',
              input: { path: 'a', cache_control: 'mine', id: 7, call_id: 'c' },
            },
          ],
        },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              is_error: false,
              cache_control: { type: 'ephemeral' },
              content: [
                { type: 'text', text: 'one', cache_control: { type: 'ephemeral' } },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
              ],
            },
            { type: 'document', title: 'Doc', source: { type: 'text', media_type: 'text/plain', data: 'doc' } },
          ],
        },
      ],
    },
    free: [
      'model',
      'stream',
      'metadata',
      'metadata.user_id',
      'cache_control',
      'cache_control.type',
      'system.0',
      'system.0.type',
      'system.0.text',
      'system.1.cache_control',
      'system.1.cache_control.type',
      'tools.0.cache_control',
      'tools.0.cache_control.type',
      'messages.0.content.0.cache_control',
      'messages.0.content.0.cache_control.type',
      'messages.2.content.0.cache_control',
      'messages.2.content.0.cache_control.type',
      'messages.2.content.0.content.0.cache_control',
      'messages.2.content.0.content.0.cache_control.type',
    ],
  },
  responses: {
    dialect: like({ keyRules: responsesRules }),
    body: {
      model: 'gpt-5',
      instructions: 'Be brief.',
      client_metadata: { run: '1' },
      store: false,
      include: ['reasoning.encrypted_content'],
      previous_response_id: 'resp_1',
      reasoning: { effort: 'low' },
      input: [
        { type: 'message', id: 'msg_1', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' },
        { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'read', arguments: '{"id":"a"}' },
        { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'one' },
        { type: 'item_reference', id: 'msg_0' },
        { type: 'image_generation_call', id: 'ig_0', status: 'completed' },
        { type: 'image_generation_call', id: 'ig_1', result: 'aGVyb24=' },
      ],
    },
    free: [
      'model',
      'client_metadata',
      'client_metadata.run',
      'input.0.id',
      'input.1.id',
      'input.2.id',
      'input.3.id',
      'input.6.id',
    ],
  },
  'generate-content': {
    dialect: like({ keyRules: contentRules }),
    body: {
      model: 'gemini-3',
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Read a.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
        {
          role: 'model',
          parts: [{ functionCall: { id: 'call_1', name: 'read', args: { id: 1, cache_control: 'x' } } }],
        },
        { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'read', response: { id: 'one' } } }] },
      ],
      tools: [{ functionDeclarations: [{ name: 'read', parameters: schema }] }],
      generationConfig: { temperature: 0.2 },
    },
    free: ['model'],
  },
  native: {
    dialect: like(native),
    body: {
      prompt: 'Hello',
      model: 'm',
      stream: true,
      session_id: 's',
      thread_id: 't',
      system: 'Be brief.',
      temperature: 0,
      more: [true, null, { a: 'b' }],
    },
    free: ['model', 'stream', 'session_id', 'thread_id'],
  },
}
