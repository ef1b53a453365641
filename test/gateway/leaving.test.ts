import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SURFACES, type Surface } from '../faults/surfaces.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type Reply, startUpstream } from '../support/upstream.ts'

/** A client that leaves, at any time: its vendor's call is closed, its slot is free, and nothing is kept. */

const WORDS = 'one two three four five six seven eight'

/** Every chat surface; the native one has no streams. */
const surfaces: readonly (Pick<Surface, 'name' | 'primary' | 'request'> & { readonly whole?: true })[] = [
  ...SURFACES,
  {
    name: 'native',
    primary: 'openai',
    whole: true,
    request: text => ({ path: '/api/chat', body: { prompt: text } }),
  },
]

interface Moment {
  readonly name: string
  readonly reply: Reply
  readonly streamed: readonly boolean[]
  /** The client has the beginning of the answer. */
  readonly begun?: true
  readonly twin?: true
}

const moments: readonly Moment[] = [
  { name: 'before the head', reply: { silent: true }, streamed: [false, true] },
  { name: 'before the body', reply: { stall: true }, streamed: [false, true] },
  { name: 'while the model thinks', reply: { reasoning: WORDS, stallAfter: 3 }, streamed: [true], begun: true },
  { name: 'in the middle of a stream', reply: { text: WORDS, stallAfter: 4 }, streamed: [true], begun: true },
  { name: 'while a twin that leaves, too, is asking', reply: { silent: true }, streamed: [false, true], twin: true },
]

const gateways = {
  openai: await before('openai'),
  anthropic: await before('anthropic'),
}

async function before(provider: string) {
  const upstream = await startUpstream()
  const finished: unknown[] = []
  const quiet = () => {}
  const log = {
    debug: quiet,
    warn: quiet,
    error: quiet,
    info: (message: string, fields?: Record<string, unknown>) => {
      if (message === 'request') finished.push(fields?.status)
    },
  }
  return { upstream, finished, ...(await startGateway({ upstream, provider, log })) }
}

let question = 0

for (const { name, primary, request, whole } of surfaces) {
  const { upstream, finished, url } = gateways[primary === 'anthropic' ? 'anthropic' : 'openai']
  const ask = (text: string, stream: boolean, signal?: AbortSignal): Promise<Response> => {
    const { path, body } = request(text, stream)
    return fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    })
  }
  for (const moment of moments) {
    for (const stream of moment.streamed) {
      if (stream && whole) continue
      test(`${name}: a client that leaves ${moment.name} leaves nothing behind (stream: ${stream})`, async () => {
        upstream.clear()
        finished.length = 0
        upstream.script(moment.reply)
        const text = `question ${question++}`
        const leaving = [new AbortController(), ...(moment.twin ? [new AbortController()] : [])]
        const asking = leaving.map(({ signal }) => ask(text, stream, signal))
        for (const one of asking) one.catch(() => {})
        await upstream.arrived(1)
        if (moment.begun) await (await asking[0])?.body?.getReader().read()
        for (const one of leaving) one.abort()
        assert.is(await upstream.calls[0]?.aborted, true)
        await Promise.allSettled(asking)
        await until('every exchange is over', () => finished.length >= leaving.length)
        assert.is(upstream.calls.length, 1)

        const again = await ask(text, stream)
        await again.text()
        assert.equal([again.status, again.headers.get('x-service-layer'), upstream.calls.length], [200, 'l3', 2])
        await until('that one is kept', async () => {
          const third = await ask(text, stream)
          await third.text()
          return third.headers.get('x-service-layer') === 'l1a'
        })
      })
    }
  }
}

test.run()
