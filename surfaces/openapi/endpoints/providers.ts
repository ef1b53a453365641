import type { Endpoint } from 'deflector/facets/endpoints'
import { z } from 'zod'
import { changed } from './changed.ts'

const time = z.string().nullable().describe('ISO 8601')
const count = z.int().min(0)

const key = z.object({
  masked_key: z.string(),
  position: z.int().min(1),
  label: z.string().nullable(),
  priority: z.int().nullable(),
  status: z.enum(['available', 'cooling_down']),
  requests_total: count,
  rate_limit_total: count,
  last_used: time,
  cooldown_until: time,
})

const provider = z.object({
  name: z.string(),
  active: z.boolean(),
  status: z.enum(['healthy', 'failing', 'unknown', 'no_credential']),
  model: z.string().nullable(),
  endpoint: z.string().nullable(),
  api_key_configured: z.boolean(),
  requests_total: count,
  errors_total: count,
  latency_ms: z.number().nullable(),
  first_token_ms: z.number().nullable(),
  circuit: z.enum(['closed', 'open', 'half_open']),
  key_rotation_strategy: z.string(),
  key_cooldown_secs: z.number(),
  keys: z.array(key),
  last_success: time,
  last_error: time,
  last_error_message: z.string().nullable(),
  last_check: time,
})

const chain = z.object({ active_provider: z.string().nullable(), providers: z.array(provider) })

const name = z.string().min(1).describe('name of the provider in the chain')
const position = z.int().min(1).describe('place in the chain; 0 is the primary')
const entry = { provider: z.string().describe('vendor'), model: z.string().optional(), api_key: z.string().optional() }

export const providersEndpoints: readonly Endpoint[] = [
  { method: 'GET', path: '/debug/providers', summary: 'How each provider of the chain is', answer: chain },
  { method: 'GET', path: '/api/admin/providers', summary: 'How each provider of the chain is', answer: chain },
  {
    method: 'POST',
    path: '/api/admin/providers/test',
    summary: 'Look at a provider or an endpoint now',
    body: z.looseObject({
      name: z.string().optional().describe('name of the provider in the chain'),
      provider: z.string().optional().describe('the same'),
      url: z.string().optional(),
      api_key: z.string().optional(),
    }),
    answer: z.object({
      reachable: z.boolean(),
      authorized: z.boolean().nullable(),
      latency_ms: z.number(),
      status_code: z.int().nullable(),
      error: z.string().nullable(),
      keys: z
        .array(
          z.object({
            masked_key: z.string(),
            position: z.int().min(1),
            label: z.string().nullable(),
            authorized: z.boolean().nullable(),
            status_code: z.int().nullable(),
            error: z.string().nullable(),
          }),
        )
        .describe('each key of a pool; empty where there is one key or none'),
    }),
  },
  {
    method: 'POST',
    path: '/api/admin/providers/add',
    summary: 'Add a provider to fallback_providers',
    body: z.looseObject({ ...entry, name: z.string().optional(), position: position.optional() }),
    answer: changed,
    refusals: [409],
  },
  {
    method: 'POST',
    path: '/api/admin/providers/edit',
    summary: 'Change fields of a provider; null takes one out, a masked key stays',
    body: z.looseObject({ ...entry, provider: z.string().optional(), name }),
    answer: changed,
    refusals: [409],
  },
  {
    method: 'POST',
    path: '/api/admin/providers/remove',
    summary: 'Remove a provider from fallback_providers',
    body: z.looseObject({ name }),
    answer: changed,
    refusals: [409],
  },
  {
    method: 'POST',
    path: '/api/admin/providers/move',
    summary: 'Move a provider in the chain',
    body: z.looseObject({ name, position }),
    answer: changed,
    refusals: [409],
  },
]
