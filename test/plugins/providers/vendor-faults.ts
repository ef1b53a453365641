import {
  type Answer,
  type ChatFormat,
  type Frame,
  isObject,
  isProviderError,
  type Plugin,
  type Prompt,
  type Provider,
  type ProviderCall,
  type ProviderError,
  promptOf,
} from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { systemClock } from '../../../core/clock.ts'
import { ManualClock, testHost } from '../../contracts/host.ts'
import { waiting } from '../../contracts/waiting.ts'
import { startUpstream, type Upstream, type VendorCall } from '../../support/upstream.ts'

/** One provider before the stub vendor. */
export interface Bench {
  readonly upstream: Upstream
  readonly provider: Provider
  readonly logged: readonly { readonly message: string }[]
  call(body: Record<string, unknown>, more?: Partial<ProviderCall>): ProviderCall
}

export interface Subject {
  readonly plugin: Plugin
  readonly format: ChatFormat
  /** A prompt of its own format. */
  readonly body: Record<string, unknown>
  /** A prompt of such a body, where its model and stream are to be found elsewhere. */
  prompt?(body: Record<string, unknown>): Prompt
  /** The body of a call with its model, where that stands elsewhere. */
  seen?(call: VendorCall): unknown
  /** A whole answer of `TEXT`, and a stream of it, both with a field that nobody knows yet. */
  readonly said?: { readonly body: unknown; readonly stream: readonly string[] }
  /** Its streams are over when the vendor closes the line. */
  readonly unterminated?: true
  /** What it needs to reach the stub. */
  options(upstream: Upstream): Record<string, unknown>
}

export async function bench(
  subject: Subject,
  run: (bench: Bench) => Promise<void>,
  options: Record<string, unknown> = {},
): Promise<void> {
  const upstream = await startUpstream()
  // Silence is that of a real vendor.
  const clock = Object.assign(new ManualClock(), { after: systemClock.after })
  const host = testHost('provider', { name: 'acme', clock })
  try {
    const provider = host.apply(subject.plugin, { ...subject.options(upstream), ...options })
    await host.start()
    const call: Bench['call'] = (body, more = {}) => {
      const bytes = Buffer.from(JSON.stringify(body))
      const prompt = subject.prompt?.(body) ?? promptOf(subject.format, bytes, body)
      return {
        prompt,
        model: undefined,
        stream: prompt.stream,
        key: 'key-1234',
        requestId: 'r1',
        headers: {},
        ...waiting(more.signal),
        ...more,
      }
    }
    await run({ upstream, provider, call, logged: host.logged })
  } finally {
    await host.dispose()
    await upstream.close()
  }
}

export async function failure(answer: Promise<unknown>): Promise<ProviderError> {
  try {
    await answer
  } catch (error) {
    if (isProviderError(error)) return error
    throw error
  }
  throw new Error('the call should have failed')
}

/** What a live answer's readers see: its frames, and the failure that ended it. */
export async function readFrames(answer: Answer): Promise<{ frames: Frame[]; error: unknown }> {
  if (answer.kind !== 'live') throw new Error('a live answer was expected')
  const frames: Frame[] = []
  try {
    for await (const frame of answer.frames()) frames.push(frame)
  } catch (error) {
    return { frames, error }
  }
  return { frames, error: undefined }
}

const seenBy = ({ seen }: Subject, call: VendorCall | undefined): unknown => (call && seen ? seen(call) : call?.body)

export const textOf = (frames: readonly Frame[]): string =>
  frames.flatMap(({ events }) => events.map(event => (event.type === 'text' ? event.text : ''))).join('')

const LONG = 'a text that is long enough to be cut in the middle'
const TRICKY = '日本語 👩‍👩‍👧 é naïve 🇨🇭 end'

/** Every way in which one attempt can fail, the same for each HTTP provider. */
export function checkFaults(subject: Subject): void {
  const { name } = subject.format
  const streamed = { ...subject.body, stream: true }
  const check = (title: string, run: (bench: Bench) => Promise<void>, options?: Record<string, unknown>): void =>
    void test(`${name}: ${title}`, () => bench(subject, run, options))

  for (const [status, reason] of [
    [400, 'bad_request'],
    [401, 'credential'],
    [403, 'credential'],
    [404, 'bad_request'],
    [429, 'rate_limited'],
    [500, 'unavailable'],
    [503, 'overloaded'],
    [529, 'overloaded'],
  ] as const) {
    for (const stream of [false, true]) {
      check(`${status} is ${reason}${stream ? ', streamed' : ''}`, async ({ upstream, provider, call }) => {
        upstream.script({ status })
        const error = await failure(provider.complete(call({ ...subject.body, stream })))
        assert.is(error.reason, reason)
        assert.is(error.status, status)
        // A vendor that says no more than that it refuses speaks of the gateway's key.
        const ours = 'refused the key that the gateway sent'
        const said = `the stub says ${status}`
        assert.match(error.message, status === 401 ? ours : status === 403 ? new RegExp(`${said}|${ours}`) : said)
      })
    }
  }

  check('reads how long a vendor asks to wait', async ({ upstream, provider, call }) => {
    upstream.script({ status: 429, headers: { 'retry-after': '7' } }, { status: 429 })
    assert.is((await failure(provider.complete(call(subject.body)))).retryAfterMs, 7000)
    assert.is((await failure(provider.complete(call(subject.body)))).retryAfterMs, undefined)
  })

  check('a status without its body is enough', async ({ upstream, provider, call }) => {
    upstream.script({ status: 503, stall: true, headers: { 'retry-after': '1' } })
    const error = await failure(provider.complete(call(subject.body)))
    assert.is(error.reason, 'overloaded')
    assert.is(error.retryAfterMs, 1000)
  })

  check('a key that the vendor repeats is masked', async ({ upstream, provider, call }) => {
    upstream.script({
      status: 401,
      json: { error: { message: 'wrong key key-1234, or sk-abcdef', type: 'authentication_error' } },
    })
    const { message } = await failure(provider.complete(call(subject.body)))
    assert.not.match(message, /key-1234|abcdef/)
  })

  check('a line that is cut before the head is a network failure', async ({ upstream, provider, call }) => {
    upstream.script({ reset: true })
    assert.is((await failure(provider.complete(call(subject.body)))).reason, 'network')
  })

  check('nobody at home is a network failure', async ({ upstream, provider, call }) => {
    await upstream.close()
    assert.is((await failure(provider.complete(call(subject.body)))).reason, 'network')
  })

  check('a vendor that never answers is left when the signal says so', async ({ upstream, provider, call }) => {
    upstream.script({ silent: true })
    const error = await failure(provider.complete(call(subject.body, { signal: AbortSignal.timeout(50) })))
    assert.is(error.reason, 'timeout')
  })

  check('a late answer is an answer', async ({ upstream, provider, call }) => {
    upstream.script({ delayMs: 60, text: 'late' })
    const answer = await provider.complete(call(streamed))
    assert.is(textOf((await readFrames(answer)).frames), 'late')
  })

  for (const [what, reply] of [
    ['garbage', { garbage: true }],
    ['JSON cut in half', { garbage: '{"id": "x", "cho', headers: { 'content-type': 'application/json' } }],
    ['an empty body', { garbage: ' ', headers: { 'content-type': 'application/json' } }],
    ['JSON of another kind', { json: { hello: 'world' } }],
    ['a JSON list', { json: [1, 2] }],
    ['an error object', { json: { error: { message: 'boom', type: 'an_error' } } }],
    ['a wrong content type', { garbage: '{}', headers: { 'content-type': 'text/html' } }],
  ] as const) {
    for (const stream of [false, true]) {
      check(
        `${what} under status 200 is a protocol failure${stream ? ', streamed' : ''}`,
        async ({ upstream, provider, call }) => {
          upstream.script(reply)
          assert.is((await failure(provider.complete(call({ ...subject.body, stream })))).reason, 'protocol')
        },
      )
    }
  }

  for (const stream of [false, true]) {
    check(
      `a refusal under status 200 is one, in the vendor's words (stream: ${stream})`,
      async ({ upstream, provider, call }) => {
        for (const [code, reason] of [
          ['context_length_exceeded', 'context'],
          [400, 'bad_request'],
        ] as const) {
          const error = { message: 'bad temp', type: 'odd', code }
          upstream.script({ json: { error } }, { sse: [`data: ${JSON.stringify({ error })}\n\n`] })
          for (const _ of ['whole', 'first event']) {
            const refusal = await failure(provider.complete(call({ ...subject.body, stream })))
            assert.equal([refusal.reason, refusal.message], [reason, 'bad temp'])
          }
        }
      },
    )
  }

  check('what a vendor says under status 200 of its failure is told', async ({ upstream, provider, call }) => {
    upstream.script({ json: { error: { message: 'boom', code: 'upstream_error' } } })
    const error = await failure(provider.complete(call(subject.body)))
    assert.match(error.message, 'boom')
    assert.is(error.code, 'upstream_error')
  })

  check('a body that is not what its encoding says is a protocol failure', async ({ upstream, provider, call }) => {
    upstream.script(
      { json: {}, headers: { 'content-encoding': 'gzip' } },
      { json: {}, headers: { 'content-encoding': 'zstd' } },
    )
    assert.is((await failure(provider.complete(call(subject.body)))).reason, 'protocol')
    assert.is((await failure(provider.complete(call(subject.body)))).reason, 'protocol')
  })

  for (const encoding of ['gzip', 'br', 'deflate'] as const) {
    check(`reads ${encoding}`, async ({ upstream, provider, call }) => {
      upstream.script({ encoding, text: TRICKY }, { encoding, text: TRICKY })
      const whole = await provider.complete(call(subject.body))
      assert.equal(whole.kind === 'whole' && whole.completion.blocks, [{ type: 'text', text: TRICKY }])
      const { frames, error } = await readFrames(await provider.complete(call(streamed)))
      assert.is(error, undefined)
      assert.is(textOf(frames), TRICKY)
    })
  }

  for (const type of ['text/plain', 'application/octet-stream', 'application/json', ''] as const) {
    check(
      `a stream under the type "${type}" is read as it comes, in one call`,
      async ({ upstream, provider, call }) => {
        const headers = { 'content-type': type }
        upstream.script({ headers, text: TRICKY }, { headers, text: TRICKY, splitEvery: 1 })
        upstream.script({ headers, text: TRICKY, encoding: 'gzip' }, { headers, text: TRICKY, contrary: true })
        for (const kind of ['live', 'live', 'live', type === 'application/octet-stream' ? 'refused' : 'whole']) {
          if (kind === 'refused') {
            assert.is((await failure(provider.complete(call(streamed)))).reason, 'protocol')
            continue
          }
          const answer = await provider.complete(call(streamed))
          assert.is(answer.kind, kind)
          if (answer.kind === 'whole') assert.equal(answer.completion.blocks, [{ type: 'text', text: TRICKY }])
          else assert.is(textOf((await readFrames(answer)).frames), TRICKY)
        }
        assert.is(upstream.calls.length, 4)
      },
    )
  }

  check('an error as the first event is a failure of the attempt', async ({ upstream, provider, call }) => {
    const event = { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }
    upstream.script({ sse: [`event: error\ndata: ${JSON.stringify(event)}\n\n`] })
    const error = await failure(provider.complete(call(streamed)))
    assert.is(error.reason, 'overloaded')
    assert.is(error.code, 'overloaded_error')
  })

  check('an error after pings is still a failure of the attempt', async ({ upstream, provider, call }) => {
    const event = { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } }
    upstream.script({ sse: [': ping\n\n', ': ping\n\n', `event: error\ndata: ${JSON.stringify(event)}\n\n`] })
    assert.is((await failure(provider.complete(call(streamed)))).reason, 'rate_limited')
  })

  check('a malformed first event is a failure of the attempt', async ({ upstream, provider, call }) => {
    upstream.script({ sse: ['data: {"half\n\n'] })
    assert.is((await failure(provider.complete(call(streamed)))).reason, 'protocol')
  })

  check('an empty stream is a failure of the attempt', async ({ upstream, provider, call }) => {
    upstream.script({ endAfter: 0 }, { dieAfter: 0 })
    assert.is((await failure(provider.complete(call(streamed)))).reason, 'protocol')
    assert.is((await failure(provider.complete(call(streamed)))).reason, 'network')
  })

  for (const [what, reply] of [
    ['a line that is cut in mid-answer', { dieAfter: 5 }],
    ['a polite end in mid-answer', { endAfter: 5 }],
  ] as const) {
    check(`${what} ends the answer with an error, and nothing is kept`, async ({ upstream, provider, call }) => {
      upstream.script({ ...reply, text: LONG })
      const answer = await provider.complete(call(streamed))
      const { frames, error } = await readFrames(answer)
      assert.ok(frames.length > 0)
      assert.instance(error, Error)
      assert.not(frames.some(({ events }) => events.some(({ type }) => type === 'end')))
      const kept = answer.kind === 'live' ? await answer.whole.catch(() => 'nothing') : answer
      assert.is(kept, 'nothing')
    })
  }

  check(
    'a vendor that falls silent in mid-answer is given up',
    async ({ upstream, provider, call }) => {
      upstream.script({ text: LONG, stallAfter: 5 }, { stallAfter: 0 })
      const { frames, error } = await readFrames(await provider.complete(call(streamed)))
      assert.ok(frames.length > 0)
      assert.is((error as { code?: string }).code, 'upstream_timeout')
      assert.is(await upstream.calls[0]?.aborted, true)
      assert.is((await failure(provider.complete(call(streamed)))).reason, 'timeout')
    },
    { stream_idle_secs: 0.05 },
  )

  check(
    'comments are signs of life',
    async ({ upstream, provider, call }) => {
      const comments = Array.from({ length: 6 }, () => ({ data: ': still here\n\n', delayMs: 40 }))
      upstream.script({ sse: [...comments, ...wholeStream(subject)] })
      const { frames, error } = await readFrames(await provider.complete(call(streamed)))
      assert.is(error, undefined)
      assert.is(textOf(frames), 'hello from afar')
    },
    { stream_idle_secs: 0.15 },
  )

  check(
    'a slow reader is not the silence of the vendor',
    async ({ upstream, provider, call }) => {
      const answer = await provider.complete(call(streamed))
      // A silent vendor's stream that begins later is given up: the limit is over for the first one, too.
      upstream.script({ text: LONG, stallAfter: 5 })
      assert.ok((await readFrames(await provider.complete(call(streamed)))).error)
      assert.is((await readFrames(answer)).error, undefined)
    },
    { stream_idle_secs: 0.06 },
  )

  check('bytes may come in any portion', async ({ upstream, provider, call }) => {
    for (const splitEvery of [1, 2, 3, 7]) upstream.script({ text: TRICKY, reasoning: '考える', splitEvery })
    const texts = []
    for (let at = 0; at < 4; at++) {
      const { frames, error } = await readFrames(await provider.complete(call(streamed)))
      assert.is(error, undefined)
      texts.push(textOf(frames))
    }
    assert.equal(texts, [TRICKY, TRICKY, TRICKY, TRICKY])
  })

  check('a stream passes its events on as they stood on the wire', async ({ upstream, provider, call }) => {
    const sse = wholeStream(subject)
    upstream.script({ sse })
    const { frames } = await readFrames(await provider.complete(call(streamed)))
    assert.is(frames.map(({ wire }) => wire).join(''), sse.join(''))
  })

  check('a whole answer keeps the bytes of the vendor', async ({ upstream, provider, call }) => {
    const sent = wholeBody(subject)
    upstream.script({ json: sent })
    const answer = await provider.complete(call(subject.body))
    assert.is(answer.kind, 'whole')
    if (answer.kind !== 'whole') return
    assert.is(answer.wire?.format, name)
    assert.is(Buffer.from(answer.wire?.bytes ?? []).toString(), JSON.stringify(sent))
    assert.equal(answer.completion.blocks, [{ type: 'text', text: 'hello from afar' }])
  })

  check('JSON to a streamed call is a whole answer', async ({ upstream, provider, call }) => {
    upstream.script({ contrary: true, text: 'all at once' })
    const answer = await provider.complete(call(streamed))
    assert.is(answer.kind, 'whole')
    assert.equal(answer.kind === 'whole' && answer.completion.blocks, [{ type: 'text', text: 'all at once' }])
  })

  check('a stream to a call that wanted none is gathered', async ({ upstream, provider, call }) => {
    upstream.script({ contrary: true, text: 'in pieces', usage: { input: 11, output: 3 } })
    const answer = await provider.complete(call(subject.body))
    assert.is(answer.kind, 'whole')
    assert.equal(answer.kind === 'whole' && answer.completion.blocks, [{ type: 'text', text: 'in pieces' }])
  })

  check('tool calls arrive whole and streamed', async ({ upstream, provider, call }) => {
    const toolCalls = [
      { id: 'one', name: 'look', arguments: '{"at":"日本"}' },
      { id: 'two', name: 'listen', arguments: '{}' },
    ]
    upstream.script({ toolCalls }, { toolCalls })
    const expected = toolCalls.map(({ id, name: called }) => `${called}#${id}`)
    for (const body of [subject.body, streamed]) {
      const answer = await provider.complete(call(body))
      if (answer.kind === 'live') await readFrames(answer)
      const whole = answer.kind === 'live' ? await answer.whole : answer
      if (whole.kind !== 'whole') return assert.unreachable('not a chat answer')
      const { completion } = whole
      const calls = completion.blocks.flatMap(block =>
        block.type === 'tool_call' ? [`${block.name}#${block.id}`] : [],
      )
      assert.equal(calls, expected)
      assert.is(completion.stop.reason, 'tool_use')
    }
  })

  for (const [when, reply, stream] of [
    ['before the head', { silent: true }, false],
    ['after the head', { stall: true }, false],
    ['before the first event', { stall: true }, true],
  ] as const) {
    check(`an abort ${when} closes the line`, async ({ upstream, provider, call }) => {
      upstream.script(reply)
      const abort = new AbortController()
      const answer = failure(provider.complete(call({ ...subject.body, stream }, { signal: abort.signal })))
      await upstream.arrived(1)
      await leaves(upstream, abort)
      assert.is((await answer).reason, 'timeout')
    })
  }

  check('an abort in mid-answer closes the line', async ({ upstream, provider, call }) => {
    upstream.script({ text: LONG, stallAfter: 5 })
    const abort = new AbortController()
    const answer = await provider.complete(call(streamed, { signal: abort.signal }))
    await leaves(upstream, abort)
    assert.instance((await readFrames(answer)).error, Error)
  })

  check('an abort while bytes flow closes the line', async ({ upstream, provider, call }) => {
    upstream.script({ text: 'word '.repeat(2000), frameDelayMs: 1 })
    const abort = new AbortController()
    const answer = await provider.complete(call(streamed, { signal: abort.signal }))
    const read = readFrames(answer)
    await leaves(upstream, abort)
    assert.instance((await read).error, Error)
  })

  check('a finished answer leaves its connection for the next call', async ({ upstream, provider, call }) => {
    upstream.script({}, { encoding: 'gzip' }, {}, { encoding: 'gzip' }, { status: 500 }, {})
    for (const body of [streamed, streamed, subject.body, subject.body, subject.body, streamed]) {
      const answer = await provider.complete(call(body)).catch(() => undefined)
      if (answer?.kind === 'live') await readFrames(answer)
      assert.is(await upstream.calls.at(-1)?.aborted, false)
    }
    // Two, as the next call may begin before the last byte of the one before has arrived.
    assert.ok(new Set(upstream.calls.map(({ callerPort }) => callerPort)).size <= 2)
  })

  if (!subject.unterminated) {
    check(
      'a vendor that closes a little after its terminator keeps its connection',
      async ({ upstream, provider, call }) => {
        upstream.script({ sse: [...wholeStream(subject), { data: ': bye\n\n', delayMs: 30 }] })
        await readFrames(await provider.complete(call(streamed)))
        assert.is(upstream.calls[0]?.closedAt, undefined)
        assert.is(await upstream.calls[0]?.aborted, false)
      },
    )

    check('a vendor that goes on after its terminator is not waited for', async ({ upstream, provider, call }) => {
      upstream.script({ sse: [...wholeStream(subject), { data: ': bye\n\n', delayMs: 10_000 }] })
      const { frames, error } = await readFrames(await provider.complete(call(streamed)))
      assert.is(error, undefined)
      assert.is(textOf(frames), 'hello from afar')
      assert.is(upstream.calls[0]?.closedAt, undefined)
      assert.is(await upstream.calls[0]?.aborted, true)
    })
  }

  check('only what is allowed comes back as a header', async ({ upstream, provider, call }) => {
    upstream.script({
      headers: {
        'x-request-id': 'abc',
        'request-id': 'def',
        'x-ratelimit-remaining-tokens': '5',
        'anthropic-ratelimit-requests-limit': '9',
        'set-cookie': 'a=b',
        server: 'stub',
        'openai-organization': 'org',
      },
    })
    const { headers } = (await provider.complete(call(subject.body))).facts
    assert.equal(headers, {
      'x-request-id': 'abc',
      'request-id': 'def',
      'x-ratelimit-remaining-tokens': '5',
      'anthropic-ratelimit-requests-limit': '9',
    })
  })

  check(
    'calls go out with our own headers, and none of the client or of the connection but its user agent',
    async ({ upstream, provider, call }) => {
      const headers = {
        host: 'evil',
        cookie: 'a=b',
        authorization: 'Bearer gateway-key',
        'x-api-key': 'gateway-key',
        'user-agent': 'me',
        'x-forwarded-for': '1.2.3.4',
      }
      await provider.complete(call(subject.body, { headers }))
      const sent = upstream.calls[0]?.headers ?? {}
      assert.is(sent['x-service-hop'], 'this-gateway')
      assert.match(sent['user-agent'] ?? '', /^me deflector\/\d/)
      assert.is(sent['accept-encoding'], 'gzip, br, deflate')
      assert.is(sent.host, `127.0.0.1:${upstream.port}`)
      assert.is(sent.cookie, undefined)
      assert.is(sent['x-forwarded-for'], undefined)
      assert.not.match(JSON.stringify(sent), 'gateway-key')
    },
  )

  check(
    'extra headers go along, but not those of a connection',
    async ({ upstream, provider, call }) => {
      await provider.complete(call(subject.body))
      const sent = upstream.calls[0]?.headers ?? {}
      assert.is(sent['x-title'], 'mine')
      assert.is(sent['transfer-encoding'], undefined)
      assert.is(sent['accept-encoding'], 'gzip, br, deflate')
    },
    { headers: { 'X-Title': 'mine', 'Transfer-Encoding': 'chunked', 'Accept-Encoding': 'zstd' } },
  )

  check(
    'takes what a client may send, untouched, and only our session ids out',
    async ({ upstream, provider, call }) => {
      const body = {
        ...subject.body,
        model: 'theirs',
        stream: false,
        novelty: { deep: [1] },
        metadata: { session_id: 'kept' },
        session_id: 'a',
        thread_id: 'b',
        conversation_id: 'c',
      }
      await provider.complete(call(body))
      const { session_id: _1, thread_id: _2, conversation_id: _3, ...rest } = body
      assert.equal(seenBy(subject, upstream.calls[0]), rest)
    },
  )

  check('a body of which nothing needs a change goes out byte for byte', async ({ upstream, provider, call }) => {
    const body = { ...subject.body, model: 'theirs' }
    const bytes = Buffer.from(`{ "big": 12345678901234567890, ${JSON.stringify(body).slice(1)}`)
    await provider.complete(
      call(body, { prompt: promptOf(subject.format, bytes, JSON.parse(bytes.toString())), model: 'theirs' }),
    )
    assert.is(upstream.calls[0]?.raw.toString(), bytes.toString())
  })

  check(
    "asks for the model of the call, then the client's, then its own",
    async ({ upstream, provider, call }) => {
      await provider.complete(call({ ...subject.body, model: 'theirs' }, { model: 'routed' }))
      await provider.complete(call({ ...subject.body, model: 'theirs' }))
      const { model: _, ...without } = subject.body
      await provider.complete(call(without))
      assert.equal(
        upstream.calls.map(call => modelIn(seenBy(subject, call))),
        ['routed', 'theirs', 'own'],
      )
      assert.is(provider.model, 'own')
    },
    { model: 'own' },
  )

  check('a call without a key carries none', async ({ upstream, provider, call }) => {
    await provider.complete(call(subject.body, { key: undefined }))
    const sent = upstream.calls[0]?.headers ?? {}
    assert.is(sent.authorization, undefined)
    assert.is(sent['x-api-key'], undefined)
  })

  test(`${name}: keys are offered in order, each once`, () =>
    bench(
      subject,
      async ({ provider }) => {
        assert.equal(provider.keys?.(), [{ key: 'a', priority: 2, label: 'first' }, { key: 'b' }])
      },
      { provider_keys: [{ key: 'a', priority: 2, label: 'first' }, { key: 'b' }], api_key: 'b' },
    ))

  check('a missing credential shows', async ({ provider }) => assert.equal(provider.keys?.(), []), {
    key_required: true,
  })
  check('a vendor without keys has none', async ({ provider }) => assert.is(provider.keys, undefined), {
    key_required: false,
  })
}

async function leaves(upstream: Upstream, abort: AbortController): Promise<void> {
  abort.abort()
  assert.is(await upstream.calls.at(-1)?.aborted, true)
}

const modelIn = (body: unknown): unknown => (isObject(body) ? body.model : undefined)

export const TEXT = 'hello from afar'

const wholeBody = ({ format, said }: Subject): unknown => {
  if (said) return said.body
  return format.name === 'messages'
    ? {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: TEXT }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 2 },
        new_field: 1,
      }
    : {
        id: 'c1',
        object: 'chat.completion',
        created: 1,
        model: 'm',
        choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
        new_field: 1,
      }
}

/** A stream with fields that nobody knows yet. */
function wholeStream({ format, said }: Subject): string[] {
  if (said) return [...said.stream]
  if (format.name === 'messages') {
    const frame = (type: string, more: object): string =>
      `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
    return [
      frame('message_start', {
        message: {
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model: 'm',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
      }),
      frame('ping', {}),
      frame('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      frame('content_block_delta', { index: 0, delta: { type: 'text_delta', text: TEXT }, new_field: 'ü' }),
      frame('content_block_stop', { index: 0 }),
      frame('message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } }),
      frame('message_stop', {}),
    ]
  }
  const chunk = (delta: object, finish: string | null): string =>
    `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }], new_field: 'ü' })}\n\n`
  return [
    chunk({ role: 'assistant', content: '' }, null),
    chunk({ content: TEXT }, null),
    chunk({}, 'stop'),
    'data: [DONE]\n\n',
  ]
}
