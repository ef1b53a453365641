import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { native } from 'deflector/formats/native'
import { responses } from 'deflector/formats/responses'
import cache from '../../surfaces/cache.ts'
import cacheAdmin from '../../surfaces/cache-admin.ts'
import chatCompletionsSurface from '../../surfaces/chat-completions.ts'
import generateContentSurface from '../../surfaces/generate-content.ts'
import health from '../../surfaces/health.ts'
import messagesSurface from '../../surfaces/messages.ts'
import models from '../../surfaces/models/index.ts'
import nativeSurface from '../../surfaces/native.ts'
import responsesSurface from '../../surfaces/responses.ts'
import { checkSurface } from '../contracts/surface.ts'

const turns = [{ role: 'user', content: 'hello' }]

checkSurface('native', {
  plugin: nativeSurface,
  samples: ['/api/chat', '/api/v1/chat'].map(path => ({
    method: 'POST',
    path,
    body: { prompt: 'hello' },
    format: native,
  })),
})

checkSurface('chat-completions', {
  plugin: chatCompletionsSurface,
  samples: [
    { method: 'POST', path: '/v1/chat/completions', body: { model: 'm', messages: turns }, format: chatCompletions },
  ],
})

checkSurface('messages', {
  plugin: messagesSurface,
  samples: [
    { method: 'POST', path: '/v1/messages', body: { model: 'm', max_tokens: 9, messages: turns }, format: messages },
  ],
})

checkSurface('responses', {
  plugin: responsesSurface,
  samples: [
    { method: 'POST', path: '/v1/responses', body: { model: 'm', input: 'hello' }, format: responses },
    { method: 'POST', path: '/v1/responses', body: { model: 'm', input: turns, stream: true }, format: responses },
  ],
})

checkSurface('generate-content', {
  plugin: generateContentSurface,
  samples: ['/v1beta/models/m', '/v1/models/m', '/v1beta/tunedModels/t', '/v1beta/models/vendor/m'].flatMap(model =>
    [':generateContent', ':streamGenerateContent?alt=sse', ':streamGenerateContent', '%3AgenerateContent'].map(
      method => ({
        method: 'POST',
        path: model + method,
        body: { contents: [{ parts: [{ text: 'hello' }] }] },
        format: generateContent,
      }),
    ),
  ),
})

checkSurface('models', {
  plugin: models,
  options: { chain: ['acme'] },
  providers: { acme: { model: 'vendor/model-1', complete: () => Promise.reject(new Error('nobody is asked')) } },
  samples: [
    { method: 'GET', path: '/v1/models', format: chatCompletions },
    { method: 'GET', path: '/v1/models/vendor/model-1', format: chatCompletions },
    { method: 'GET', path: '/v1/models', headers: { 'anthropic-version': '2023-06-01' }, format: messages },
    {
      method: 'GET',
      path: '/v1/models/vendor%2Fmodel-1',
      headers: { 'anthropic-version': '2023-06-01' },
      format: messages,
    },
  ],
})

checkSurface('cache', {
  plugin: cache,
  samples: [
    { method: 'POST', path: '/api/v1/cache/lookup', body: { prompt: 'hello' }, format: native },
    { method: 'POST', path: '/api/v1/cache/store', body: { prompt: 'hello', response: 'hi' }, format: native },
  ],
})

checkSurface('health', {
  plugin: health,
  samples: ['/health', '/healthz', '/readyz'].map(path => ({ method: 'GET', path, format: native, public: true })),
})

checkSurface('cache-admin', {
  plugin: cacheAdmin,
  samples: [
    { method: 'GET', path: '/api/admin/cache', format: native },
    { method: 'POST', path: '/api/admin/cache/clear', body: {}, mayBeEmpty: true, format: native },
    { method: 'POST', path: '/api/admin/cache/forget', body: { request_id: 'r1' }, format: native },
  ],
})
