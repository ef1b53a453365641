import { type ErrorDialect, GatewayError, type LayerHooks, type Plugin, textAnswer } from 'deflector'
import { listener } from 'deflector/facets/listener'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import http from '../../surfaces/http/index.ts'
import { type HostGiven, testHost } from './host.ts'

/** A call that the surface should take with success. */
export interface SampleCall {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. Absent: this call has no body. */
  readonly body?: Readonly<Record<string, unknown>>
  /** An empty body says as much as `{}` does. */
  readonly mayBeEmpty?: boolean
  /** In which dialect its failures have to be told. */
  readonly format: ErrorDialect
  /** Open to everybody: no key is asked for. */
  readonly public?: boolean
}

export interface SurfaceUnderTest {
  readonly plugin: Plugin
  readonly options?: Readonly<Record<string, unknown>>
  /** Those that its options name. */
  readonly providers?: HostGiven['providers']
  readonly samples: readonly SampleCall[]
}

const LIMIT = 64 << 10
const REFUSAL = new GatewayError('unauthorized', 'a valid key is needed')

/** What every surface with routes promises, as a suite of tests over a real port that runs with the file. */
export function checkSurface(name: string, under: SurfaceUnderTest): void {
  const surface = suite(`${name} as a surface`)
  const check = (title: string, refuses: boolean, run: (url: string) => Promise<void>): void =>
    surface(title, async () => {
      const { url, close } = await listen(under, refuses)
      try {
        await run(url)
      } finally {
        await close()
      }
    })
  const guarded = under.samples.filter(sample => !sample.public)
  const withBody = guarded.filter(({ body }) => body)

  surface('only wires when it is applied, and bears to be disposed before it started', async () => {
    const { apply, dispose } = testHost('surface', under.providers && { providers: under.providers })
    apply(under.plugin, under.options)
    await dispose()
  })

  check('answers each sample, with the headers that every reply has', false, async url => {
    for (const sample of under.samples) {
      const reply = await ask(url, sample)
      assert.ok(reply.status < 400, `${told(sample)} gave ${reply.status}`)
      checkHeaders(reply, sample)
    }
  })

  check('takes fields that it does not know', false, async url => {
    for (const sample of withBody) {
      const reply = await ask(url, sample, JSON.stringify({ ...sample.body, x_field_of_tomorrow: { a: [1] } }))
      assert.ok(reply.status < 400, `${told(sample)} gave ${reply.status}`)
    }
  })

  check('tells a refusal in the dialect of the path', true, async url => {
    for (const sample of guarded) await checkFailure(await ask(url, sample), sample, REFUSAL)
  })

  check('asks who is there before it looks at the body', true, async url => {
    for (const sample of withBody) {
      for (const body of ['{"not":"json', '[]', '', JSON.stringify({ large: 'x'.repeat(LIMIT) })]) {
        assert.is((await ask(url, sample, body)).status, 401, told(sample))
      }
    }
  })

  check('tells a body that is not JSON, or no object, or too large, in its dialect', false, async url => {
    for (const sample of withBody) {
      for (const [body, status] of [
        ['{"not":"json', 400],
        ['', 400],
        ['[]', 400],
        ['"text"', 400],
        ['x'.repeat(LIMIT + 1), 413],
      ] as const) {
        if (body === '' && sample.mayBeEmpty) continue
        const reply = await ask(url, sample, body)
        assert.is(reply.status, status, `${told(sample)} with ${body.slice(0, 20)}`)
        await checkFailure(reply, sample)
      }
    }
  })

  check('tells a wrong method without asking anybody', false, async url => {
    for (const sample of under.samples) {
      const reply = await fetch(url + sample.path, { method: 'DELETE' })
      assert.is(reply.status, 405, told(sample))
      assert.ok(reply.headers.get('allow')?.includes(sample.method))
      checkHeaders(reply, sample)
    }
  })

  surface.run()
}

const told = ({ method, path }: SampleCall): string => `${method} ${path}`

const ask = (url: string, { method, path, headers = {}, body }: SampleCall, text?: string): Promise<Response> =>
  fetch(url + path, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: text ?? JSON.stringify(body) }),
  })

function checkHeaders(reply: Response, sample: SampleCall): void {
  assert.ok(reply.headers.get('x-service-request-id'), `${told(sample)} has no id`)
  assert.ok(reply.headers.get('x-service-layer'), `${told(sample)} names no layer`)
  assert.match(reply.headers.get('x-service-deflected') ?? '', /^(true|false)$/)
}

/** Has the reply the shape that the dialect gives a failure of this status? With `error`, it has to be just that one. */
async function checkFailure(reply: Response, sample: SampleCall, error?: GatewayError): Promise<void> {
  checkHeaders(reply, sample)
  const id = reply.headers.get('x-service-request-id') ?? ''
  const body: unknown = await reply.json()
  const like = sample.format.encodeError(error ?? new GatewayError('bad_request', ''), id)
  if (error) assert.is(reply.status, error.status)
  if (error) assert.equal(body, JSON.parse(JSON.stringify(like)))
  assert.equal(shape(body), shape(JSON.parse(JSON.stringify(like))), told(sample))
}

/** Names of the fields, without what stands in them. */
const shape = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .map(([key, inner]) => [key, shape(inner)])
          .sort(),
      )
    : null

async function listen({ plugin, options = {}, providers = {} }: SurfaceUnderTest, refuses: boolean) {
  const { apply, start, ready, dispose, offer } = testHost('surface', {
    flow: hooks => answering(hooks, refuses),
    providers,
  })
  apply(plugin, options)
  apply(http, { host: '127.0.0.1', port: 0, max_body_bytes: LIMIT })
  await start()
  ready()
  const port = offer(listener)?.()?.port
  return { url: `http://127.0.0.1:${port}`, close: dispose }
}

/** A flow that knows one answer and keeps what it is brought, or that refuses every caller. */
function answering(hooks: LayerHooks, refuses: boolean): void {
  hooks.receive.tapPromise('', async () => {
    if (refuses) throw REFUSAL
  })
  hooks.answer.tapPromise('', async () => textAnswer('here you are', { model: 'model-1' }))
  hooks.settle.tapPromise('', async exchange => exchange.note('stored'))
}
