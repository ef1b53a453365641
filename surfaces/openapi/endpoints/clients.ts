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

export const clientEndpoints: readonly Endpoint[] = [
  { method: 'POST', path: '/api/chat', summary: 'Ask in the native format', body: question, answer },
  { method: 'POST', path: '/api/v1/chat', summary: 'Ask in the native format', body: question, answer },
  {
    method: 'POST',
    path: '/api/v1/cache/lookup',
    summary: 'A cached answer, or 204',
    body: z.looseObject({ prompt, model: z.string().optional() }),
    answer,
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
  { method: 'GET', path: '/openapi.json', summary: 'This document', open: true, answer: z.looseObject({}) },
]
