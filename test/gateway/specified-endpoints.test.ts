import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** Every row of the specification's endpoint tables, and who may ask it. An owed one is not there yet. */

const rows = z
  .array(
    z.strictObject({
      method: z.enum(['GET', 'POST', 'DELETE']),
      path: z.string(),
      /** Does it need a key, where keys are configured? */
      auth: z.boolean(),
      /** Does it need a key that may administer? */
      admin: z.boolean().default(false),
      owed: z.boolean().default(false),
      /** Of the answer to who may ask. */
      status: z.int().optional(),
      body: z.record(z.string(), z.unknown()).optional(),
      headers: z.record(z.string(), z.string()).default({}),
    }),
  )
  .parse(JSON.parse(readFileSync(new URL('../fixtures/endpoints/specification.json', import.meta.url), 'utf8')))

const GATEWAY_KEY = 'key-of-the-gateway'
const ANN = 'key-of-ann'

const context: { gateway?: TestGateway } = {}
test.before(async () => {
  const upstream = await startUpstream()
  const keys = JSON.stringify([{ key: ANN, label: 'ann' }])
  const settings = { SERVICE__GATEWAY_API_KEY: GATEWAY_KEY, SERVICE__GATEWAY_API_KEYS: keys }
  context.gateway = await startGateway({ upstream, settings })
})
test.after(() => context.gateway?.close())

async function status(row: (typeof rows)[number], carried: Readonly<Record<string, string>>): Promise<number> {
  const reply = await fetch(`${context.gateway?.url}${row.path}`, {
    method: row.method,
    headers: { ...(row.body && { 'content-type': 'application/json' }), ...row.headers, ...carried },
    ...(row.body && { body: JSON.stringify(row.body) }),
  })
  await reply.text()
  return reply.status
}

for (const row of rows) {
  const name = `${row.method} ${row.path}`
  if (row.owed) {
    test(`${name} is owed`, async () => {
      assert.is(await status(row, { 'x-api-key': GATEWAY_KEY }), 404, 'it is there: give it its status in the table')
    })
    continue
  }
  const open = row.admin ? 'the operator' : row.auth ? 'who has a key' : 'everybody'
  test(`${name} is for ${open}`, async () => {
    const both = [{ 'x-api-key': GATEWAY_KEY }, { authorization: `Bearer ${GATEWAY_KEY}` }]
    for (const carried of both) assert.is(await status(row, carried), row.status)
    assert.is(await status(row, { 'x-api-key': ANN }), row.admin ? 403 : row.status)
    for (const carried of [{}, { 'x-api-key': 'nobody' }, { authorization: 'Bearer nobody' }])
      assert.is(await status(row, carried), row.auth ? 401 : row.status)
  })
}

test.run()
