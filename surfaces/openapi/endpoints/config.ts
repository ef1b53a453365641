import type { Endpoint } from 'deflector/facets/endpoints'
import { z } from 'zod'
import { changed, effects } from './changed.ts'

const names = z.array(z.string())
const patch = z.record(z.string(), z.unknown())
const expected = z.object({
  revision: z.string().optional().describe('the one that was read; 409 where the file says something else by now'),
})
const count = z.int().min(0).nullable()

const node = z.object({
  id: z.string(),
  role: z.enum(['surface', 'layer', 'provider', 'model', 'store', 'observer']),
  name: z.string(),
  plugin: z.string(),
  flow: z.string().nullable().describe('of a layer its own, of a surface the one that it feeds'),
  facets: names.describe('what the instance offers to others'),
  answered: count.describe('requests that a layer answered'),
  failed: count.describe('requests that were refused or failed at a layer'),
})

const edge = z.object({
  from: z.string(),
  to: z.string(),
  asks: z.boolean().describe('the one node needs the other; otherwise requests go along it'),
  count: count.describe('requests, or calls of a provider'),
  failed: count.describe('calls without an answer'),
})

export const configEndpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/api/admin/config',
    summary: 'Every setting in its place: value, source, words and schema; secrets are masked',
    answer: z.object({
      config_path: z.string(),
      revision: z.string().describe('names what the file says now'),
      problems: names.describe('why the file cannot be followed as it is'),
      unread: names.describe('settings of which the file says something else than the gateway follows'),
      waiting: z
        .array(z.object({ key: z.string(), running: z.unknown() }))
        .describe('settings that wait for the next start, with the values that count until then'),
      settings: z.record(z.string(), z.unknown()).describe('by the parts of each key; a leaf has value and source'),
    }),
  },
  {
    method: 'POST',
    path: '/api/admin/config',
    summary: 'Change settings by a patch (RFC 7396), nested or with dotted keys',
    query: expected,
    body: patch,
    answer: changed,
    refusals: [409],
  },
  {
    method: 'POST',
    path: '/api/admin/config/check',
    summary: 'What a patch would do: its problems, or the diff of the file and when each setting counts',
    query: expected.extend({ quick: z.boolean().optional().describe('the settings alone, without the pipeline') }),
    body: patch,
    answer: z.object({
      ok: z.boolean(),
      problems: z.array(z.object({ setting: z.string().nullable(), message: z.string() })),
      diff: z.string().describe('unified, secrets masked'),
      ...effects,
      revision: z.string(),
    }),
    refusals: [409],
  },
  {
    method: 'POST',
    path: '/api/admin/config/reload',
    summary: 'Read the settings file and the pipeline file again, as `deflector reload` does',
    answer: changed,
    refusals: [409],
  },
  {
    method: 'GET',
    path: '/api/admin/pipeline',
    summary: 'The pipeline that serves, as a graph with its traffic',
    answer: z.object({
      file: z.string(),
      generation: z.int(),
      since: z.string().nullable().describe('ISO 8601: when counting began'),
      nodes: z.array(node),
      flows: z.array(z.object({ name: z.string(), ids: names })),
      edges: z.array(edge),
    }),
  },
]
