import type { Provider } from 'deflector'
import { Keep, ManualClock, plainPrompt, TestExchange, testHost } from 'deflector/contracts/host'
import { type ProviderCheck, providerEndpoint } from 'deflector/facets/provider-endpoint'
import { providerStatuses } from 'deflector/facets/provider-status'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import { fails, provider, says, settled } from './double.ts'

const WELL: ProviderCheck = { reachable: true, authorized: true, latencyMs: 5, status: 200 }
const KEY = 'sk-health-0123456789-abcd'

interface Given {
  readonly options?: Record<string, unknown>
  readonly providers?: Record<string, Provider>
  /** Providers whose vendor has no list of models. */
  readonly listless?: readonly string[]
  readonly check?: (name: string) => ProviderCheck | Promise<ProviderCheck>
  readonly kept?: Keep
  readonly clock?: ManualClock
}

/** A cloud whose providers have endpoints, and the names of those that were looked at. */
function cloudOf({ options, providers, listless = [], check = () => WELL, kept, clock }: Given = {}) {
  const looked: string[] = []
  const all = providers ?? { acme: provider([says('hi')], { keys: [KEY] }), backup: provider([says('hi')]) }
  const host = testHost('layer', {
    name: 'cloud',
    clock: clock ?? new ManualClock(undefined, () => 0.999),
    ...(kept && { kept }),
    providers: all,
    offers: facets => {
      for (const name of Object.keys(all))
        facets.offer(
          providerEndpoint,
          { role: 'provider', name },
          {
            url: `https://${name}.example`,
            showsKey: !listless.includes(name),
            async check() {
              looked.push(name)
              return check(name)
            },
          },
        )
    },
  })
  host.apply(cloud, { chain: Object.keys(all), health_check_secs: 300, ...options })
  const of = (name: string) =>
    host
      .offer(providerStatuses)
      ?.statuses()
      .find(one => one.name === name)
  const ask = () => host.call.answer(new TestExchange({ prompt: plainPrompt(host.clock.id()) }))
  return { ...host, looked, of, ask }
}

const pass = async (clock: ManualClock, secs: number): Promise<void> => {
  await clock.advance(secs * 1000)
  await settled()
}

test('looks at each provider once an interval, from the moment the gateway serves', async () => {
  const { clock, ready, looked, of } = cloudOf()
  await pass(clock, 1000)
  assert.equal(looked, [])
  ready()
  await pass(clock, 300)
  assert.equal(looked, ['acme', 'backup'])
  assert.equal([of('acme')?.status, of('acme')?.requests, of('acme')?.errors], ['healthy', 0, 0])
  assert.is(of('acme')?.lastCheck, of('acme')?.lastSuccess)
  await pass(clock, 300)
  assert.equal(looked, ['acme', 'backup', 'acme', 'backup'])
})

test('0 looks at nobody, and so does offline', async () => {
  for (const options of [{ health_check_secs: 0 }, { offline: true }]) {
    const { clock, ready, looked } = cloudOf({ options })
    ready()
    await pass(clock, 10_000)
    assert.equal(looked, [])
    assert.is(clock.sleeping, 0)
  }
})

test('a provider without a list follows traffic', async () => {
  const { clock, ready, looked, of, ask } = cloudOf({ listless: ['acme'] })
  ready()
  await pass(clock, 300)
  assert.equal(looked, ['backup'])
  assert.is(of('acme')?.status, 'unknown')
  await ask()
  assert.is(of('acme')?.status, 'healthy')
})

test('a failed look shows in the health alone: no error, cooldown or circuit, and no key in its words', async () => {
  const refused = { reachable: true, authorized: false, latencyMs: 5, status: 401, error: `no such key ${KEY}` }
  const { clock, ready, of, ask, logged } = cloudOf({ check: () => refused, options: { circuit_failures: 1 } })
  ready()
  await pass(clock, 900)
  const acme = of('acme')
  assert.equal([acme?.status, acme?.errors, acme?.requests, acme?.circuit], ['failing', 0, 0, 'closed'])
  assert.equal([acme?.keys[0]?.status, acme?.keys[0]?.requests], ['available', 0])
  assert.is(acme?.lastErrorMessage, 'no such key ***')
  assert.is((await ask())?.facts.provider, 'acme')
  assert.is(of('acme')?.status, 'healthy')
  assert.not.match(JSON.stringify(of('acme')), KEY)
  assert.ok(logged.some(({ level, message }) => level === 'warn' && message === 'a health check failed'))
})

test('a look that hangs is given up, and the next provider has its turn', async () => {
  const { clock, ready, looked } = cloudOf({
    check: name => (name === 'acme' ? clockless() : WELL),
  })
  ready()
  await pass(clock, 300)
  assert.equal(looked, ['acme'])
  await pass(clock, 10)
  assert.equal(looked, ['acme', 'backup'])
})

/** Never answers. */
const clockless = (): Promise<ProviderCheck> => new Promise(() => {})

test('what is known of providers and keys outlives a reload', async () => {
  const kept = new Keep()
  const clock = new ManualClock(undefined, () => 0.999)
  const limited = provider([fails('rate_limited', { status: 429, retryAfterMs: 50_000 }), says('hi')], { keys: [KEY] })
  const first = cloudOf({ kept, clock, providers: { acme: limited, backup: provider([says('hi')]) } })
  first.ready()
  await first.ask()
  const second = cloudOf({ kept, clock, providers: { acme: limited, other: provider([says('hi')]) } })
  second.ready()
  await first.dispose()
  const acme = second.of('acme')
  assert.equal([acme?.requests, acme?.errors, acme?.status], [1, 1, 'failing'])
  assert.equal(acme?.keys, [
    {
      maskedKey: 'sk-…bcd',
      position: 1,
      label: undefined,
      priority: undefined,
      status: 'cooling_down',
      requests: 1,
      rateLimits: 1,
      lastUsed: clock.now(),
      cooldownUntil: clock.now() + 50_000,
    },
  ])
  await pass(clock, 300)
  assert.equal(first.looked, [])
  assert.equal(second.looked, ['acme', 'other'])
})

test('tells a circuit that is open, and one that waits for a request to show that all is well', async () => {
  const { clock, of, ask } = cloudOf({
    providers: { acme: provider([fails('unavailable')]), backup: provider([says('hi')]) },
    options: { circuit_failures: 1, max_attempts: 1 },
  })
  await ask()
  assert.equal([of('acme')?.circuit, of('acme')?.active, of('backup')?.active], ['open', false, true])
  await pass(clock, 60)
  assert.is(of('acme')?.circuit, 'half_open')
})

test.run()
