import { type ChatFormat, type JsonObject, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import vendor from '../../../../plugins/providers/chat-completions.ts'
import contentVendor from '../../../../plugins/providers/generate-content.ts'
import messagesVendor from '../../../../plugins/providers/messages.ts'
import { bench, type Subject } from '../vendor-faults.ts'

const TEXT = 'a rather long text '.repeat(200)
const TURNS = 2001

const turns = <T>(turn: (user: boolean, text: string) => T): T[] =>
  Array.from({ length: TURNS }, (_, at) => turn(at % 2 === 0, `${at} ${TEXT}`))
const plain = (user: boolean, content: string): object => ({ role: user ? 'user' : 'assistant', content })

const subject: Subject = {
  plugin: vendor,
  format: chatCompletions,
  body: { model: 'm', messages: [{ role: 'user', content: 'hello' }] },
  options: upstream => ({ url: upstream.url, key_required: false }),
}

const promptIn = (format: ChatFormat, body: JsonObject) => promptOf(format, Buffer.from(JSON.stringify(body)), body)

/** Histories of 8 MB that this vendor cannot be sent as they came. */
const LARGE: readonly (readonly [string, ChatFormat, JsonObject, options?: JsonObject])[] = [
  ['messages', messages, { model: 'm', max_tokens: 9, messages: turns(plain) }],
  ['responses', responses, { model: 'm', store: false, input: turns(plain) }],
  [
    'generate-content',
    generateContent,
    { contents: turns((user, text) => ({ role: user ? 'user' : 'model', parts: [{ text }] })) },
  ],
  [
    'chat-completions with a history to change',
    chatCompletions,
    { model: 'm', messages: [{ role: 'developer', content: 'be brief' }, ...turns(plain)] },
    { quirks: { developer_role: 'system' } },
  ],
]

for (const [name, format, body, options] of LARGE)
  test(`${name}: a small call goes out while a large one is written`, () =>
    bench(
      subject,
      async ({ upstream, provider, call }) => {
        const large = provider.complete(call(subject.body, { prompt: promptIn(format, body), model: 'm' }))
        const small = provider.complete(call(subject.body))
        await Promise.all([large, small])
        const sizes = upstream.calls.map(({ raw }) => raw.length)
        assert.is(sizes.length, 2)
        assert.ok((sizes[0] ?? 0) < 1000 && (sizes[1] ?? 0) > 5_000_000, `${sizes}`)
        const sent = upstream.calls[1]?.body?.messages
        assert.ok(Array.isArray(sent))
        assert.is(sent.length, TURNS + (options ? 1 : 0))
        assert.equal(sent.at(-1), { role: 'user', content: `${TURNS - 1} ${TEXT}` })
        if (options) assert.equal(sent[0], { role: 'system', content: 'be brief' })
      },
      options,
    ))

test('a large history without ids is written in turns, too', () =>
  bench(
    {
      plugin: contentVendor,
      format: generateContent,
      body: {},
      options: upstream => ({ url: upstream.url, key_required: false, call_ids: false }),
    },
    async ({ upstream, provider, call }) => {
      const tiny = { contents: [{ role: 'user', parts: [{ text: 'hello' }] }] }
      const contents = turns((user, text) => ({ role: user ? 'user' : 'model', parts: [{ text }] }))
      const called = { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: { n: 1 } } }] }
      const large = provider.complete(
        call(tiny, { prompt: promptIn(generateContent, { contents: [...contents, called] }), model: 'm' }),
      )
      const asked = promptIn(generateContent, tiny)
      await Promise.all([large, provider.complete(call(tiny, { prompt: asked, model: 'm' }))])
      const sizes = upstream.calls.map(({ raw }) => raw.length)
      assert.ok((sizes[0] ?? 0) < 1000 && (sizes[1] ?? 0) > 5_000_000, `${sizes}`)
      assert.match(String(upstream.calls[1]?.raw.subarray(-120)), '"functionCall":{"name":"f","args":{"n":1}}')
    },
  ))

test('a large history without the proofs of another vendor is read again in turns', () =>
  bench({ ...subject, plugin: messagesVendor, format: messages }, async ({ upstream, provider, call }) => {
    const thought = { type: 'thinking', thinking: 'hm', signature: '' }
    const said = { type: 'text', text: 'well' }
    const history = [...turns(plain), { role: 'assistant', content: [thought, said] }, { role: 'user', content: 'so?' }]
    const prompt = promptIn(messages, { model: 'm', max_tokens: 9, messages: history })
    const small = promptIn(messages, { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] })
    await Promise.all([
      provider.complete(call(subject.body, { prompt, model: 'm' })),
      provider.complete(call(subject.body, { prompt: small, model: 'm' })),
    ])
    const sizes = upstream.calls.map(({ raw }) => raw.length)
    assert.ok((sizes[0] ?? 0) < 1000 && (sizes[1] ?? 0) > 5_000_000, `${sizes}`)
    const sent = upstream.calls[1]?.body?.messages
    assert.ok(Array.isArray(sent))
    assert.equal(sent.at(-2), { role: 'assistant', content: [said] })
  }))

test.run()
