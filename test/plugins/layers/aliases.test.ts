import { test } from 'uvu'
import * as assert from 'uvu/assert'
import aliases from '../../../plugins/layers/aliases.ts'
import { plainPrompt, TestExchange, testHost } from '../../contracts/host.ts'
import { checkLayer } from '../../contracts/layer.ts'

checkLayer(aliases, { options: { aliases: { fast: 'gpt-5-mini' } }, passesOn: () => new TestExchange() })

async function modelOf(asked: string | undefined, options: object): Promise<string | undefined> {
  const host = testHost('layer')
  host.apply(aliases, options)
  const exchange = new TestExchange({ prompt: plainPrompt('hi', asked === undefined ? {} : { model: asked }) })
  await host.call.receive(exchange)
  return exchange.model
}

const OPTIONS = { aliases: { fast: 'gpt-5-mini', faster: 'fast', 'gpt-5': 'gpt-5.1' }, default_model: 'gpt-5' }

test('an alias means its target', async () => {
  assert.is(await modelOf('fast', OPTIONS), 'gpt-5-mini')
})

test('an alias of an alias is followed one step', async () => {
  assert.is(await modelOf('faster', OPTIONS), 'fast')
})

test('any other model stays as the client wrote it', async () => {
  for (const model of ['gpt-4', 'Fast', 'constructor', '__proto__', '']) assert.is(await modelOf(model, OPTIONS), model)
})

test('no model means the default one, as it stands', async () => {
  assert.is(await modelOf(undefined, OPTIONS), 'gpt-5')
  assert.is(await modelOf(undefined, { default_model: null }), undefined)
  assert.is(await modelOf(undefined, {}), undefined)
})

test("no model means the primary's own where no default is set", async () => {
  const complete = async (): Promise<never> => {
    throw new Error('nobody is asked')
  }
  const modelWith = async (options: object, model?: string): Promise<string | undefined> => {
    const host = testHost('layer', { providers: { main: { model: 'own', complete }, local: { complete } } })
    host.apply(aliases, options)
    const exchange = new TestExchange({ prompt: plainPrompt('hi', model === undefined ? {} : { model }) })
    await host.call.receive(exchange)
    return exchange.model
  }
  assert.is(await modelWith({ chain: ['main', 'local'] }), 'own')
  assert.is(await modelWith({ chain: ['main'], default_model: null }), 'own')
  assert.is(await modelWith({ chain: ['main'], default_model: 'set' }), 'set')
  assert.is(await modelWith({ chain: ['main'] }, 'asked'), 'asked')
  assert.is(await modelWith({ chain: ['local', 'main'] }), undefined)
  assert.is(await modelWith({ chain: [] }), undefined)
})

test('the prompt itself is not touched', async () => {
  const host = testHost('layer')
  host.apply(aliases, OPTIONS)
  const exchange = new TestExchange({ prompt: plainPrompt('hi', { model: 'fast' }) })
  await host.call.receive(exchange)
  assert.is(exchange.prompt.model, 'fast')
  assert.is(exchange.outgoing, exchange.prompt)
})

test('a call without a prompt keeps no model', async () => {
  const host = testHost('layer')
  host.apply(aliases, OPTIONS)
  const exchange = new TestExchange({ prompt: null })
  await host.call.receive(exchange)
  assert.is(exchange.model, undefined)
})

test.run()
