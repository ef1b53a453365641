import { promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import plugin from '../../../plugins/providers/generate-content.ts'
import { plainPrompt, testHost } from '../../contracts/host.ts'
import { checkBeforeVendor } from './before-vendor.ts'
import { bench, checkFaults, failure, type Subject, TEXT } from './vendor-faults.ts'

const frame = (candidate: object, more: object = {}): string =>
  `data: ${JSON.stringify({ candidates: [{ index: 0, ...candidate }], responseId: 'r1', modelVersion: 'm', ...more })}\n\n`
const content = { parts: [{ text: TEXT }], role: 'model' }
const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 2, totalTokenCount: 3 }

/** A prompt as its surface reads it: model and method stand in the path. */
const prompt = ({ stream = false, model = '', ...body }: Record<string, unknown>, method?: string) => {
  const named = method ?? (stream === true ? 'streamGenerateContent' : 'generateContent')
  // Only a prompt that no call brought is without a model.
  const path = model === '' ? '' : `/v1beta/models/${model}:${named}`
  const call = { path, params: {}, query: new URLSearchParams(), headers: {} }
  return promptOf(generateContent, Buffer.from(JSON.stringify(body)), body, call)
}

const subject: Subject = {
  plugin,
  format: generateContent,
  body: { model: 'gemini-sample', contents: [{ role: 'user', parts: [{ text: 'hello' }] }] },
  options: upstream => ({ url: upstream.url, key_required: false }),
  prompt,
  seen: ({ path, body }) => {
    const [, model, method] = /\/models\/(.*):(\w+)/.exec(path) ?? []
    return { ...body, model, stream: method === 'streamGenerateContent' }
  },
  said: {
    body: {
      candidates: [{ content, finishReason: 'STOP', index: 0 }],
      usageMetadata,
      modelVersion: 'm',
      responseId: 'r1',
      newField: 1,
    },
    stream: [
      frame({ content }, { newField: 'ü' }),
      frame({ content: { parts: [], role: 'model' }, finishReason: 'STOP' }, { usageMetadata }),
    ],
  },
  unterminated: true,
}

checkBeforeVendor('generate-content', plugin)
checkFaults(subject)

test('the key goes where this vendor looks for it, and never into the URL', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    await provider.complete(call(subject.body))
    await provider.complete(call({ ...subject.body, stream: true }))
    const [whole, streamed] = upstream.calls
    assert.is(whole?.headers['x-goog-api-key'], 'key-1234')
    assert.is(whole?.headers.authorization, undefined)
    assert.is(whole?.path, '/v1/models/gemini-sample:generateContent')
    assert.is(streamed?.path, '/v1/models/gemini-sample:streamGenerateContent?alt=sse')
  }))

test('a base URL means the same with a version, without one, and as a full URL', () =>
  bench(subject, async ({ upstream, call }) => {
    const host = `http://127.0.0.1:${upstream.port}`
    for (const url of [host, `${host}/`, `${host}/v1beta`, `${host}/v1beta/models/other:generateContent`]) {
      const made = testHost('provider')
      await made.apply(plugin, { url, key_required: false }).complete(call(subject.body))
      await made.dispose()
    }
    assert.equal(
      upstream.calls.map(({ path }) => path),
      Array.from({ length: 4 }, () => '/v1beta/models/gemini-sample:generateContent'),
    )
  }))

test('a model is one step of the path, whatever its name', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    for (const model of [
      '../../evil',
      'a?key=b#c',
      'a/b',
      'models/m',
      'llama:3b',
      'tunedModels/t/../..',
      'tunedModels/mine',
    ])
      await provider.complete(call(subject.body, { model }))
    assert.equal(
      upstream.calls.map(({ path }) => path.replace('/v1/', '').replace(':generateContent', '')),
      [
        'models/..%2F..%2Fevil',
        'models/a%3Fkey%3Db%23c',
        'models/a%2Fb',
        'models/m',
        'models/llama%3A3b',
        'models/tunedModels%2Ft%2F..%2F..',
        'tunedModels/mine',
      ],
    )
  }))

test('a body that names the model names the one that is asked', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const { contents } = subject.body
    const named = promptOf(generateContent, Buffer.from(JSON.stringify({ model: 'models/alias', contents })), {
      model: 'models/alias',
      contents,
    })
    await provider.complete(call(subject.body, { prompt: named, model: 'gemini-real' }))
    assert.equal(upstream.calls[0]?.body, { model: 'models/gemini-real', contents })
    assert.match(upstream.calls[0]?.path ?? '', '/models/gemini-real:')
  }))

test('a client of another format is translated', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    await provider.complete(call(subject.body, { prompt: plainPrompt('hi'), model: 'gemini-sample' }))
    assert.equal(upstream.calls[0]?.body, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })
  }))

test('a call without a model is refused before it goes out', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const nameless = promptOf(chatCompletions, Buffer.from('{}'), { messages: [{ role: 'user', content: 'hi' }] })
    const error = await failure(provider.complete(call(subject.body, { prompt: nameless })))
    assert.is(error.param, 'model')
    assert.is(upstream.calls.length, 0)
  }))

test("another vendor's proof does not reach this one, whose own stays to the byte", () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const answered = (signature: string) => ({
      model: 'm',
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        {
          role: 'model',
          parts: [
            { text: 'hm', thought: true, thoughtSignature: signature },
            { text: 'so', thoughtSignature: signature },
            { functionCall: { name: 'f', args: {} }, thoughtSignature: signature },
          ],
        },
        { role: 'model', parts: [{ text: '', thoughtSignature: signature }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { output: '1' } } }] },
      ],
    })
    const own = answered('b3du')
    await provider.complete(call(own))
    const { model: _, ...bytes } = own
    assert.is(upstream.calls[0]?.raw.toString(), JSON.stringify(bytes))
    const foreign = generateContent.encodeAnswer(
      {
        id: '',
        model: 'm',
        created: 0,
        blocks: [{ type: 'reasoning', text: 'hm', signature: 'c2ln', origin: 'messages' }],
        stop: { reason: 'stop' },
      },
      { id: 'r', created: 0, layer: 'l3' },
    )
    const shown = JSON.stringify(foreign).match(/"thoughtSignature":"([^"]+)"/)?.[1] ?? ''
    assert.ok(shown !== '' && shown !== 'c2ln')
    await provider.complete(call(answered(shown)))
    const sent = upstream.calls[1]?.body as { contents: unknown[] }
    assert.equal(sent.contents.slice(1, -1), [
      {
        role: 'model',
        parts: [
          { text: 'so' },
          { functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
        ],
      },
    ])
  }))

for (const finish of ['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL']) {
  for (const stream of [false, true]) {
    test(`${finish} is a failure of the attempt${stream ? ', streamed' : ''}`, () =>
      bench(subject, async ({ upstream, provider, call }) => {
        const candidate = { content: { role: 'model' }, finishReason: finish }
        upstream.script(stream ? { sse: [frame(candidate)] } : { json: { candidates: [candidate] } })
        const error = await failure(provider.complete(call({ ...subject.body, stream })))
        assert.is(error.reason, 'gave_up')
      }))
  }
}

test('a prompt that the vendor blocked is an answer', () =>
  bench(subject, async ({ upstream, provider, call }) => {
    const json = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata, responseId: 'r', modelVersion: 'm' }
    upstream.script({ json })
    const answer = await provider.complete(call(subject.body))
    assert.is(answer.kind === 'whole' && answer.completion.stop.reason, 'filtered')
  }))

test.run()
