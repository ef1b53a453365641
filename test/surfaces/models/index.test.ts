import { test } from 'uvu'
import * as assert from 'uvu/assert'
import models from '../../../surfaces/models/index.ts'
import { type Listening, listening } from '../listening.ts'

const context: { gateway?: Listening } = {}
const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5)

test.before(async () => {
  const providers: Readonly<Record<string, { readonly model?: string }>> = {
    acme: { model: 'acme-large' },
    backup: { model: 'org/backup-1' },
    local: {},
    unused: { model: 'never-asked' },
  }
  const options = {
    chain: ['acme', 'backup', 'local'],
    aliases: {
      smart: 'org/backup-1',
      quick: 'acme-large',
      other: 'not-configured',
      again: 'smart',
      'acme-large': 'acme-large',
    },
  }
  context.gateway = await listening({
    surfaces: [{ plugin: models, options }],
    providers,
    status: () => ({ startedAt }),
  })
})
test.after(() => context.gateway?.dispose())

const get = async (path: string, headers: Record<string, string> = {}): Promise<[number, Record<string, unknown>]> => {
  const reply = await fetch(`${context.gateway?.url}${path}`, { headers })
  return [reply.status, (await reply.json()) as Record<string, unknown>]
}
const anthropic = { 'anthropic-version': '2023-06-01' }
const idsOf = (list: Record<string, unknown>): string[] => (list.data as { id: string }[]).map(({ id }) => id)

test('lists the models of the chain, then the aliases and what else they stand for, each once', async () => {
  const [status, list] = await get('/v1/models')
  assert.is(status, 200)
  assert.is(list.object, 'list')
  assert.equal(idsOf(list), ['acme-large', 'org/backup-1', 'smart', 'quick', 'other', 'again', 'not-configured'])
})

test('an entry serves both dialects', async () => {
  const [, list] = await get('/v1/models')
  assert.equal((list.data as unknown[])[0], {
    id: 'acme-large',
    object: 'model',
    type: 'model',
    display_name: 'acme-large',
    created: startedAt / 1000,
    created_at: '2026-01-02T03:04:05.000Z',
    owned_by: 'acme',
  })
})

test("an alias says whose it is: its model's provider, else the first one", async () => {
  const [, list] = await get('/v1/models')
  const owners = Object.fromEntries(
    (list.data as { id: string; owned_by: string }[]).map(({ id, owned_by }) => [id, owned_by]),
  )
  assert.is(owners.smart, 'alias:backup')
  assert.is(owners.quick, 'alias:acme')
  assert.is(owners.other, 'alias:acme')
  assert.is(owners.again, 'alias:acme')
  assert.is(owners['not-configured'], 'acme')
})

test('a client of the messages format gets its own page', async () => {
  const [, page] = await get('/v1/models?limit=1000', anthropic)
  assert.is(page.has_more, false)
  assert.is(page.first_id, 'acme-large')
  assert.is(page.last_id, 'not-configured')
  assert.is(page.object, undefined)
  assert.is(idsOf(page).length, 7)
})

test('finds one model by its id, slash included', async () => {
  assert.is((await get('/v1/models/smart'))[1].owned_by, 'alias:backup')
  assert.is((await get('/v1/models/org/backup-1'))[1].id, 'org/backup-1')
  assert.is((await get('/v1/models/org%2Fbackup-1', anthropic))[1].id, 'org/backup-1')
})

// R11
test('a model that no list has is found all the same: a chat with it is asked of the primary', async () => {
  const [status, model] = await get('/v1/models/never-asked')
  assert.is(status, 200)
  assert.is(model.id, 'never-asked')
  assert.is(model.owned_by, 'acme')
  assert.is((await get('/v1/models/vendor/never%20asked', anthropic))[1].id, 'vendor/never asked')
})

test("without a provider an unknown id is a 404 in the client's dialect", async () => {
  const alone = await listening({ surfaces: [{ plugin: models, options: {} }] })
  try {
    const [plain, error] = [{}, anthropic].map(headers => fetch(`${alone.url}/v1/models/any`, { headers }))
    assert.is((await plain)?.status, 404)
    const told = (await (await error)?.json()) as { type: string; error: { type: string } }
    assert.equal([told.type, told.error.type], ['error', 'not_found_error'])
  } finally {
    await alone.dispose()
  }
})

test.run()
