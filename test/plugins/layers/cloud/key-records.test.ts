import { GatewayError, ProviderError } from 'deflector'
import { ManualClock, plainPrompt, TestExchange, testHost } from 'deflector/contracts/host'
import { providerStatuses } from 'deflector/facets/provider-status'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import { fails, provider, says } from './double.ts'

/** A cloud with two keys at one vendor, whose flow has a tap of `attempt` before it. */
function cloudBehind(tap: () => Promise<void>, acme = provider([says('hi')], { keys: ['a', 'b'] })) {
  const host = testHost('layer', {
    name: 'cloud',
    clock: new ManualClock(undefined, () => 0),
    providers: { acme },
    before: hooks => hooks.attempt.tapPromise('quota', tap),
  })
  host.apply(cloud, { chain: ['acme'], max_attempts: 1 })
  let asked = 0
  const ask = () =>
    host.call.answer(new TestExchange({ prompt: plainPrompt(`q${asked++}`) })).catch((error: unknown) => error)
  const requests = () =>
    host
      .offer(providerStatuses)
      ?.statuses()[0]
      ?.keys.map(({ requests }) => requests)
  return { acme, ask, requests }
}

test('what is refused before the vendor is asked is no request of a key', async () => {
  const refusals = [
    new ProviderError('rate_limited', 'the quota is spent'),
    new GatewayError('quota_blocked', 'the quota is spent'),
  ]
  for (const refusal of refusals) {
    let open = true
    const { acme, ask, requests } = cloudBehind(async () => {
      if (!open) throw refusal
    })
    await ask()
    assert.equal(requests(), [1, 0])
    open = false
    for (let turn = 0; turn < 5; turn++) await ask()
    assert.is(acme.calls.length, 1)
    assert.equal(requests(), [1, 0])
  }
})

test('what the vendor was asked counts, however it ended', async () => {
  const acme = provider([fails('unavailable'), says('hi')], { keys: ['a', 'b'] })
  const { ask, requests } = cloudBehind(async () => {}, acme)
  for (let turn = 0; turn < 4; turn++) await ask()
  assert.equal(requests(), [2, 2])
})

test.run()
