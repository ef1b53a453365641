import type { Endpoint } from 'deflector/facets/endpoints'
import { z } from 'zod'

const status = z.enum(['active', 'disabled', 'degraded', 'no_credential'])
const prompt = z.string()

const answer = z.looseObject({
  layer: z.int().describe('the layer that answered; 1 is a cache'),
  message: z.string(),
  model: z.string(),
  id: z.string(),
})
const question = z.looseObject({
  prompt,
  model: z.string().optional(),
  stream: z.boolean().optional(),
  session_id: z.string().optional(),
})

const chat = {
  method: 'POST',
  summary: 'Ask in the native format',
  body: question,
  answer,
  refusals: [404, 429, 502, 503],
}

export const clientEndpoints: readonly Endpoint[] = [
  { ...chat, path: '/api/chat' },
  { ...chat, path: '/api/v1/chat' },
  {
    method: 'POST',
    path: '/api/v1/cache/lookup',
    summary: 'A cached answer, or 204',
    body: z.looseObject({ prompt, model: z.string().optional() }),
    answer,
    empty: 'No answer is cached',
  },
  {
    method: 'POST',
    path: '/api/v1/cache/store',
    summary: 'Store an answer',
    body: z.looseObject({ prompt, response: z.string(), model: z.string().optional() }),
    answer: z.looseObject({ stored: z.boolean() }),
  },
  {
    method: 'GET',
    path: '/health',
    summary: 'Status, version and every layer',
    open: true,
    answer: z.object({
      status: z.enum(['ok', 'degraded', 'draining']),
      version: z.string(),
      layers: z.record(z.string(), status),
      uptime_seconds: z.int().min(0),
      demo_mode: z.boolean(),
      pipeline: z.string(),
      generation: z.int(),
    }),
  },
  {
    method: 'GET',
    path: '/healthz',
    summary: 'The process serves',
    open: true,
    answer: z.object({ status: z.literal('ok') }),
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: 'The gateway takes requests; 503 while it drains',
    open: true,
    answer: z.object({ status: z.enum(['ready', 'not_ready']) }),
  },
  { method: 'GET', path: '/metrics', summary: 'The metrics, as Prometheus reads them', text: true },
  {
    method: 'POST',
    path: '/mcp',
    summary: 'The tools of the cache, over JSON-RPC; /mcp/ is the same',
    open: true,
    accepted: 'A notification, which has no answer',
    refusals: [400, 403, 404, 406, 413, 415, 429],
  },
  {
    method: 'GET',
    path: '/mcp',
    summary: 'Events of a session',
    open: true,
    stream: true,
    refusals: [400, 403, 404, 406, 409],
  },
  { method: 'DELETE', path: '/mcp', summary: 'End a session', open: true, refusals: [400, 403, 404] },
  { method: 'GET', path: '/', summary: 'Where things are', open: true, text: true },
  { method: 'GET', path: '/openapi.json', summary: 'This document', open: true, answer: z.looseObject({}) },
]
