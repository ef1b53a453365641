import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { currentTypes, TYPES } from '../../scripts/dashboard/described.ts'
import { typesOf } from '../../scripts/dashboard/types.ts'
import { root } from '../support/markdown.ts'

test('the types of the dashboard are those of the endpoints; if not, run `npm run dashboard:types`', () => {
  assert.is(readFileSync(join(root, TYPES), 'utf8'), currentTypes())
})

test('a description becomes types: what is optional, what is null, lists and tables', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      cost: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      state: { enum: ['on', 'off'] },
      rows: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
      counts: { type: 'object', additionalProperties: { type: 'number' } },
    },
    required: ['name', 'cost'],
  }
  const operation = {
    summary: 'What there is',
    parameters: [
      { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
      { name: 'hours', in: 'query', required: false, schema: { type: 'integer' } },
    ],
    responses: { 200: { content: { 'application/json': { schema } } } },
  }
  const lines = typesOf({ paths: { '/a/{id}': { get: operation } } }).split('\n')
  for (const line of [
    "  'GET /a/{id}': {",
    '      readonly id: string',
    '    query?: {',
    '      readonly hours?: number',
    '      readonly cost: number | null',
    "      readonly state?: 'on' | 'off'",
    '      readonly rows?: readonly {',
    '        readonly n: number',
    '      readonly counts?: Readonly<Record<string, number>>',
  ])
    assert.ok(lines.includes(line), `${line} in ${lines.join('\n')}`)
})

test.run()
