import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** What vendors repeat of a request, and no key of a cache holds: whom it is for. */
const whose = (name: string) => ({
  metadata: { ticket: name },
  safety_identifier: `sid-${name}`,
  prompt_cache_key: `pck-${name}`,
  user: `user-${name}`,
})

const PATH = '/v1/responses'
const asked = { model: 'gpt-4.1', store: false, input: 'hi' }

async function opened() {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, provider: 'openai-responses' })
  return { upstream, gateway, send: (body: object) => gateway.send(PATH, JSON.stringify(body)) }
}

interface Repeating {
  readonly metadata: unknown
  readonly safety_identifier: unknown
  readonly prompt_cache_key: unknown
  readonly user: unknown
}

/** What each response object of an answer, whole or streamed, repeats. */
function repeatedIn(text: string): Repeating[] {
  const events = [...text.matchAll(/^data: (.*)$/gm)].map(([, json]) => JSON.parse(json ?? ''))
  const found: Repeating[] = events.length === 0 ? [JSON.parse(text)] : events.flatMap(({ response }) => response ?? [])
  return found.map(({ metadata, safety_identifier, prompt_cache_key, user }) => ({
    metadata,
    safety_identifier,
    prompt_cache_key,
    user,
  }))
}

const NOBODYS = { metadata: {}, safety_identifier: null, prompt_cache_key: null, user: null }

for (const first of [false, true])
  for (const again of [false, true]) {
    const how = `${first ? 'streamed' : 'whole'}, then ${again ? 'streamed' : 'whole'}`

    test(`a cached response repeats what its own client said (${how})`, async () => {
      const { upstream, gateway, send } = await opened()
      const miss = await send({ ...asked, ...whose('alice'), stream: first })
      assert.equal(repeatedIn(miss.text)[0], whose('alice'), 'what is asked first goes out as it came')
      for (const [more, own] of [
        [whose('bob'), whose('bob')],
        [{}, NOBODYS],
      ] as const) {
        const hit = await send({ ...asked, ...more, stream: again })
        assert.is(hit.headers.get('x-service-layer'), 'l1a')
        assert.not.match(hit.text, 'alice')
        const repeated = repeatedIn(hit.text)
        assert.is(repeated.length, again ? 3 : 1)
        for (const each of repeated) assert.equal(each, own)
      }
      assert.is(upstream.calls.length, 1)
      await gateway.close()
    })
  }

for (const stream of [false, true])
  test(`so does one whose call another client had begun (${stream ? 'streamed' : 'whole'})`, async () => {
    const { upstream, gateway, send } = await opened()
    upstream.script({ delayMs: 100, frameDelayMs: 5 })
    const names = ['alice', 'bob', 'carol']
    const answers = await Promise.all(names.map(name => send({ ...asked, ...whose(name), stream })))
    assert.is(upstream.calls.length, 1)
    for (const [at, { text }] of answers.entries())
      for (const each of repeatedIn(text)) assert.equal(each, whose(names[at] ?? ''))
    await gateway.close()
  })

test('what a vendor keeps was made with what its client said, and is given to no other', async () => {
  const { upstream, gateway, send } = await opened()
  const kept = { ...asked, store: true }
  const ids: unknown[] = []
  for (const name of ['alice', 'bob', 'alice']) {
    const { text } = await send({ ...kept, ...whose(name) })
    assert.equal(repeatedIn(text), [whose(name)])
    ids.push(JSON.parse(text).id)
  }
  assert.equal(ids, ['resp_stub_1', 'resp_stub_2', 'resp_stub_1'])
  assert.is(upstream.calls.length, 2)
  await gateway.close()
})

for (const stream of [false, true])
  test(`hosts of chat completions that repeat them are mended alike (${stream ? 'streamed' : 'whole'})`, async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream })
    const facts = { id: 'chatcmpl-1', created: 1, model: 'm', ...whose('alice'), service_tier: 'default' }
    const whole = {
      ...facts,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
    }
    const chunk = (delta: object, finish_reason: string | null): string =>
      `data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
    const sse = [chunk({ role: 'assistant', content: 'hello' }, null), chunk({}, 'stop'), 'data: [DONE]\n\n']
    upstream.script({ delayMs: 100, ...(stream ? { sse } : { json: whole }) })
    const send = (more: object) =>
      gateway.send(
        '/v1/chat/completions',
        JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }], stream, ...more }),
      )
    const first = send(whose('alice'))
    await upstream.arrived(1)
    const [miss, joined] = await Promise.all([first, send(whose('bob'))])
    assert.is(miss.text, stream ? sse.join('') : JSON.stringify(whole))
    const hit = await send(whose('bob'))
    assert.is(upstream.calls.length, 1)
    for (const { text } of [joined, hit]) {
      assert.not.match(text, 'alice')
      for (const said of ['"ticket":"bob"', '"sid-bob"', '"pck-bob"', '"user-bob"', '"service_tier":"default"'])
        assert.match(text, said)
    }
    const nobodys = await send({})
    assert.not.match(nobodys.text, /alice|bob/)
    assert.match(nobodys.text, '"metadata":null')
    await gateway.close()
  })

test.run()
