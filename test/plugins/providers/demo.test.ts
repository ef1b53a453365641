import type { Completion, Provider, ProviderCall } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import demo from '../../../plugins/providers/demo.ts'
import { ManualClock, plainPrompt, testHost } from '../../contracts/host.ts'
import { checkProvider } from '../../contracts/provider.ts'
import { waiting } from '../../contracts/waiting.ts'

const make = (options = {}) => testHost('provider').apply(demo, { latency_ms: 0, ...options })
checkProvider('demo', () => ({ provider: make() }))

const call = (text: string, more: Partial<ProviderCall> = {}): ProviderCall => ({
  prompt: plainPrompt(text),
  model: undefined,
  stream: false,
  key: undefined,
  requestId: 'r',
  headers: {},
  ...waiting(more.signal),
  ...more,
})

const ask = async (provider: Provider, text: string, more: Partial<ProviderCall> = {}): Promise<Completion> => {
  const answer = await provider.complete(call(text, more))
  if (answer.kind === 'bytes') throw new Error('not a chat answer')
  return answer.kind === 'whole' ? answer.completion : (await answer.whole).completion
}

test('needs no key', () => assert.is(make().keys, undefined))

test('the same prompt gets the same words', async () => {
  const provider = make()
  const first = await ask(provider, 'tell me of quokkas')
  const second = await ask(provider, 'tell me of quokkas')
  assert.equal(first.blocks, second.blocks)
})

test('a streamed answer says what a whole one says', async () => {
  const provider = make()
  const whole = await ask(provider, 'what is a cache?')
  const answer = await provider.complete(call('what is a cache?', { stream: true }))
  assert.is(answer.kind, 'live')
  if (answer.kind !== 'live') return
  assert.is(answer.format, 'canonical')
  let frames = 0
  for await (const frame of answer.frames()) {
    assert.is(frame.wire, '')
    frames++
  }
  assert.ok(frames > 4, 'in pieces')
  assert.equal((await answer.whole).completion.blocks, whole.blocks)
})

test('takes its time, and gives up when nobody waits any more', async () => {
  const clock = new ManualClock()
  const provider = testHost('provider', { clock }).apply(demo, {})
  let done = false
  const answer = ask(provider, 'hi').then(() => {
    done = true
  })
  await clock.advance(39)
  assert.not(done)
  await clock.advance(1)
  await answer
  assert.ok(done)

  const abort = new AbortController()
  const left = ask(provider, 'hi', { signal: abort.signal }).catch(error => error.reason)
  abort.abort()
  assert.is(await left, 'timeout')
})

test('counts tokens', async () => {
  const { usage } = await ask(make(), 'a'.repeat(400))
  assert.is(usage?.input, 100)
  assert.ok((usage?.output ?? 0) > 1)
})

test('names the model that was asked for, else its own', async () => {
  assert.is((await ask(make(), 'hi', { model: 'mine' })).model, 'mine')
  assert.is((await ask(make(), 'hi')).model, 'demo-1')
})

test.run()
