import { isGatewayError, NO_CALL, promptOf, type Store, type VendorState, wholeAnswer } from 'deflector'
import { ManualClock, plainFormat, TestExchange, testHost } from 'deflector/contracts/host'
import { vendorStates } from 'deflector/facets/vendor-state'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import cloud from '../../../../plugins/layers/cloud/index.ts'
import memory from '../../../../plugins/stores/memory.ts'
import { type Act, type Double, provider, says, settled } from './double.ts'

/** Answers in the client's own dialect, under an id. */
const holds =
  (id: string): Act =>
  () => {
    const body = { id, model: 'parrot-1', text: 'said' }
    const bytes = Buffer.from(JSON.stringify(body))
    return wholeAnswer({ wire: { format: 'plain', bytes }, completion: plainFormat.decodeAnswer(body) })
  }

const stateful = { ...plainFormat, stateIn: ({ id }: Record<string, unknown>) => (typeof id === 'string' ? [id] : []) }

/** A request with this state, as its dialect would read it. */
function request(state: VendorState, principal?: string): TestExchange {
  const body = { prompt: 'hello' }
  const dialect = { ...stateful, readHead: (parsed: unknown) => ({ ...stateful.readHead(parsed, NO_CALL), state }) }
  const prompt = promptOf(dialect, Buffer.from(JSON.stringify(body)), body)
  return new TestExchange({ prompt, ...(principal !== undefined && { principal }) })
}

const creating = (principal?: string) => request({ field: 'store', refers: [], creates: true }, principal)
const referring = (id: string, principal?: string) =>
  request({ field: 'previous', refers: [id], creates: false }, principal)

const memoryStore = (clock = new ManualClock()): Store => testHost('store', { clock }).apply(memory)

function layer(providers: Record<string, Double>, store: Store, options: Record<string, unknown> = {}) {
  const host = testHost('layer', { name: 'cloud', providers, stores: { answers: store } })
  host.apply(cloud, { chain: Object.keys(providers), store: 'answers', ...options })
  const ask = async (exchange: TestExchange) => {
    try {
      return await host.call.answer(exchange)
    } finally {
      host.call.finish(exchange)
      await settled()
    }
  }
  const refusal = async (exchange: TestExchange) => {
    const error = await ask(exchange).catch((error: unknown) => error)
    if (!isGatewayError(error)) throw new Error(`not refused: ${String(error)}`)
    return error
  }
  return { ...host, ask, refusal }
}

test('what was remembered of a provider that is gone is not asked of another', async () => {
  const store = memoryStore()
  const before = layer({ acme: provider([holds('s1')]) }, store)
  await before.ask(creating())
  const other = provider([holds('s2')])
  const after = layer({ other }, store)
  const { status, param } = await after.refusal(referring('s1'))
  assert.equal([status, param], [404, 'previous'])
  assert.is(other.calls.length, 0)
  const reaches = after.offer(vendorStates)?.reaches(creating(), 's1')
  assert.is(await reaches, false)
})

test('whoever made it first has it, also where a vendor names it again to another', async () => {
  const store = memoryStore()
  const acme = provider([holds('shared')])
  const { ask, refusal, offer } = layer({ acme }, store)
  await ask(creating('ann'))
  await ask(creating('bob'))
  assert.is(await offer(vendorStates)?.reaches(creating('ann'), 'shared'), true)
  assert.is(await offer(vendorStates)?.reaches(creating('bob'), 'shared'), false)
  assert.is((await refusal(referring('shared', 'bob'))).status, 404)
  assert.is((await refusal(referring('shared'))).status, 404)
})

test('no reference hides behind many others', async () => {
  const store = memoryStore()
  const { ask, refusal } = layer({ acme: provider([holds('hers')]) }, store)
  await ask(creating('ann'))
  const refers = [...Array.from({ length: 500 }, (_, at) => `s${at}`), 'hers']
  assert.is((await refusal(request({ field: 'input', refers, creates: false }, 'bob'))).status, 404)
})

test('a request that deletes state is the last that reaches it', async () => {
  const store = memoryStore()
  const { ask, offer } = layer({ acme: provider([holds('s1'), says('deleted')]) }, store)
  await ask(creating('ann'))
  assert.is(await offer(vendorStates)?.reaches(creating('ann'), 's1'), true)
  await ask(request({ field: 'id', refers: ['s1'], creates: false, ends: true }, 'ann'))
  assert.is(await offer(vendorStates)?.reaches(creating('ann'), 's1'), false)
})

test('state that two providers hold parts of is held by neither', async () => {
  const store = memoryStore()
  const [one, two] = [provider([holds('s1')]), provider([holds('s2')])]
  await layer({ one }, store).ask(creating())
  await layer({ two }, store).ask(creating())
  const both = layer({ one, two }, store)
  assert.is((await both.refusal(request({ field: 'input', refers: ['s1', 's2'], creates: false }))).status, 404)
})

test('it is forgotten after its time, and then the first provider judges', async () => {
  const clock = new ManualClock()
  const store = memoryStore(clock)
  const [one, two] = [provider([says('unknown here')]), provider([holds('s1')])]
  await layer({ two }, store, { state_ttl_secs: 60 }).ask(creating())
  const { ask } = layer({ one, two }, store)
  assert.is((await ask(referring('s1')))?.facts.provider, 'two')
  await clock.advance(61_000)
  assert.is((await ask(referring('s1')))?.facts.provider, 'one')
})

test('a store that fails makes ids unknown, and is said once', async () => {
  const broken: Store = {
    get: () => Promise.reject(new Error('away')),
    set: () => Promise.reject(new Error('away')),
    delete: () => Promise.reject(new Error('away')),
  }
  const [one, two] = [provider([holds('s1')]), provider([says('other')])]
  const { ask, logged } = layer({ one, two }, broken)
  await ask(creating('ann'))
  assert.is((await ask(referring('s1', 'ann')))?.facts.provider, 'one')
  assert.is(two.calls.length, 0)
  assert.is(logged.filter(({ message }) => /state at vendors/.test(message)).length, 1)
})

test.run()
