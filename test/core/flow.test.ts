import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Cancellation } from '../../core/cancellation.ts'
import { type Answer, endedBy, textAnswer, withFacts } from '../../core/chat/answer.ts'
import { liveAnswer } from '../../core/chat/live-answer.ts'
import { promptOf } from '../../core/chat/prompt.ts'
import { GatewayError, isGatewayError } from '../../core/errors.ts'
import type { ExchangeKind } from '../../core/exchange.ts'
import { Flow } from '../../core/flow.ts'
import type { LayerHooks, Log } from '../../core/host.ts'
import { OpenExchange } from '../../core/open-exchange.ts'
import { ProviderError } from '../../core/provider-error.ts'
import { Taps } from '../../core/taps.ts'
import { type TapTrace, traces } from '../../core/traces.ts'
import { native } from '../../plugins/formats/native.ts'

const warnings: string[] = []
const log: Log = { debug() {}, info() {}, error() {}, warn: message => void warnings.push(message) }

function layer(flow: Flow, name: string, wire: (hooks: LayerHooks) => void, deflects = false, observes = false): void {
  const taps = new Taps({ name, label: `label-${name}`, deflects, observes })
  wire(taps.hooks)
  taps.replay(flow.hooks)
}

const hi = async () => promptOf(native, Buffer.from('{"prompt":"hi"}'), { prompt: 'hi' })

function exchange(read = hi, kind: ExchangeKind = 'chat', cancellation = new Cancellation()): OpenExchange {
  return new OpenExchange({ id: 'id', namespace: 'native', headers: {}, cancellation, read }, kind, 'chat', 'native', 0)
}

const answer = textAnswer('hello', { model: 'm' })

test('the first layer with an answer wins, and later ones are not asked', async () => {
  const flow = new Flow('chat', log)
  const asked: string[] = []
  for (const name of ['first', 'second', 'third']) {
    layer(flow, name, hooks =>
      hooks.answer.tapPromise(name, async () => {
        asked.push(name)
        return name === 'second' ? answer : undefined
      }),
    )
  }
  const open = exchange()
  assert.is(await flow.handle(open).answer, answer)
  assert.equal(asked, ['first', 'second'])
  assert.is(open.layer, 'label-second')
  assert.equal(
    open.trail.map(({ tap, outcome }) => `${tap} ${outcome}`),
    ['first passed', 'second answered'],
  )
})

test('settles in layers that were asked and had none, and in every observer', async () => {
  const flow = new Flow('chat', log)
  const settled: string[] = []
  for (const name of ['cache', 'cloud', 'after']) {
    layer(flow, name, hooks => {
      hooks.answer.tapPromise(name, async () => (name === 'cloud' ? answer : undefined))
      hooks.settle.tapPromise(name, async () => void settled.push(name))
    })
  }
  layer(flow, 'books', hooks => hooks.settle.tapPromise('books', async () => void settled.push('books')), false, true)
  await flow.handle(exchange()).closed
  assert.equal(settled, ['cache', 'books'])
})

test('stores nothing after a stale answer', async () => {
  const flow = new Flow('chat', log)
  const settled: string[] = []
  layer(flow, 'cache', hooks => {
    hooks.answer.tapPromise('', async () => undefined)
    hooks.recover.tapPromise('', async () => withFacts(answer, { staleSecs: 7 }))
    hooks.settle.tapPromise('', async () => void settled.push('cache'))
  })
  layer(flow, 'cloud', hooks =>
    hooks.answer.tapPromise('', async () => {
      throw new GatewayError('upstream_failed', 'down')
    }),
  )
  const open = exchange()
  const { answer: answering, closed } = flow.handle(open)
  assert.is((await answering)?.facts.staleSecs, 7)
  await closed
  assert.equal(settled, [])
  assert.is(open.layer, 'label-cache')
})

test('recovers only from what the table calls recoverable', async () => {
  const flow = new Flow('chat', log)
  let tried = 0
  layer(flow, 'cache', hooks =>
    hooks.recover.tapPromise('', async () => {
      tried++
      return undefined
    }),
  )
  layer(flow, 'cloud', hooks =>
    hooks.answer.tapPromise('', async () => {
      throw new GatewayError('offline', 'offline_mode is on')
    }),
  )
  const open = exchange()
  const [outcome] = await Promise.allSettled([flow.handle(open).answer])
  assert.ok(outcome?.status === 'rejected' && isGatewayError(outcome.reason) && outcome.reason.code === 'offline')
  assert.is(tried, 0)
  assert.is(open.layer, 'label-cloud')
})

test('a layer refuses at admission before the body is read', async () => {
  const flow = new Flow('chat', log)
  layer(flow, 'auth', hooks =>
    hooks.receive.tapPromise('', async () => {
      throw new GatewayError('unauthorized', 'no key')
    }),
  )
  let read = false
  const open = exchange(async () => {
    read = true
    throw new GatewayError('bad_request', 'not JSON')
  })
  const [outcome] = await Promise.allSettled([flow.handle(open).answer])
  assert.ok(outcome?.status === 'rejected' && isGatewayError(outcome.reason) && outcome.reason.code === 'unauthorized')
  assert.is(read, false)
})

test('finishes whatever happened, and a failing write-back is a warning', async () => {
  const flow = new Flow('chat', log)
  const finished: (string | undefined)[] = []
  layer(flow, 'cache', hooks => {
    hooks.answer.tapPromise('', async () => undefined)
    hooks.settle.tapPromise('', async () => {
      throw new Error('disk full')
    })
  })
  layer(flow, 'cloud', hooks => hooks.answer.tapPromise('', async () => answer))
  layer(flow, 'books', hooks => hooks.finish.tap('', ({ failure }) => void finished.push(failure?.code)), false, true)
  warnings.length = 0
  await flow.handle(exchange()).closed
  await flow.handle(
    exchange(async () => {
      throw new GatewayError('bad_request', 'not JSON')
    }),
  ).closed
  assert.equal(finished, [undefined, 'bad_request'])
  assert.equal(warnings, ['settle failed'])
})

test('an answer from outside settles in every layer', async () => {
  const flow = new Flow('chat', log)
  const settled: string[] = []
  layer(flow, 'cache', hooks => hooks.settle.tapPromise('', async () => void settled.push('cache')))
  await flow.put(exchange(), answer)
  assert.equal(settled, ['cache'])
})

test('who brings an answer is told whether a layer kept it', async () => {
  const put = async (...notes: readonly (string | undefined)[]) => {
    const flow = new Flow('chat', log)
    for (const note of notes) {
      layer(flow, 'cache', hooks =>
        hooks.settle.tapPromise('', async exchange => {
          if (note !== undefined) exchange.note(note)
        }),
      )
    }
    return flow.put(exchange(), answer)
  }
  assert.equal(await put(), { stored: false, reason: 'no_cache' })
  assert.equal(await put(undefined), { stored: false, reason: 'no_cache' })
  assert.equal(await put(undefined, 'store_failed'), { stored: false, reason: 'store_failed' })
  assert.equal(await put('not_storable', 'stored', undefined), { stored: true })
})

/** A flow of one layer that may refuse, and may answer; what `finish` was told, one line each. */
function finishing(given: { refuses?: unknown; answers?: () => Promise<Answer | undefined> } = {}) {
  const flow = new Flow('chat', log)
  const finished: string[] = []
  layer(flow, 'auth', hooks =>
    hooks.receive.tapPromise('', async () => {
      if (given.refuses) throw given.refuses
    }),
  )
  layer(flow, 'cache', hooks => hooks.answer.tapPromise('', async () => given.answers?.()))
  layer(
    flow,
    'books',
    hooks => {
      hooks.settle.tapPromise('', async () => void finished.push('settle'))
      hooks.finish.tap('', ({ kind, failure, layer }) => {
        finished.push([kind, layer, ...(failure ? [failure.code, failure.status] : [])].join(' '))
      })
    },
    false,
    true,
  )
  /** What `finish` saw, once all is over and whatever came of it. */
  const told = async (run: (flow: Flow) => Promise<unknown> | { readonly closed: Promise<void> }) => {
    const running = run(flow)
    if ('closed' in running) await running.closed
    else await Promise.allSettled([running])
    return finished.splice(0)
  }
  return told
}

const refuses = new GatewayError('unauthorized', 'no key')
const badBody = async () => {
  throw new GatewayError('bad_request', 'not JSON')
}

test('finishes a chat once: answered, refused, unreadable, unanswered', async () => {
  const answered = finishing({ answers: async () => answer })
  assert.equal(await answered(flow => flow.handle(exchange())), ['settle', 'chat label-cache'])
  assert.equal(await answered(flow => flow.handle(exchange(badBody))), ['chat l0 bad_request 400'])
  const refused = finishing({ refuses })
  assert.equal(await refused(flow => flow.handle(exchange())), ['chat label-auth unauthorized 401'])
  assert.equal(await finishing()(flow => flow.handle(exchange())), ['chat l3 unanswered 502'])
})

test('finishes a lookup once, and a miss is no failure', async () => {
  const lookup = (read = hi) => exchange(read, 'lookup')
  const answered = finishing({ answers: async () => answer })
  assert.equal(await answered(flow => flow.handle(lookup())), ['settle', 'lookup label-cache'])
  assert.equal(await answered(flow => flow.handle(lookup(badBody))), ['lookup l0 bad_request 400'])
  assert.equal(await finishing()(flow => flow.handle(lookup())), ['lookup l0'])
  const refused = finishing({ refuses })
  assert.equal(await refused(flow => flow.handle(lookup())), ['lookup label-auth unauthorized 401'])
})

test('finishes an answer from outside once: kept, refused, unreadable', async () => {
  const put = (read = hi) => exchange(read, 'put')
  assert.equal(await finishing()(flow => flow.put(put(), answer)), ['settle', 'put l0'])
  assert.equal(await finishing()(flow => flow.put(put(badBody), answer)), ['put l0 bad_request 400'])
  const refused = finishing({ refuses })
  assert.equal(await refused(flow => flow.put(put(), answer)), ['put label-auth unauthorized 401'])
})

test('finishes an admission once: let in, refused, failed by what it runs', async () => {
  const running = (run: () => void) => finishing()(flow => flow.admit(exchange(hi, 'admit'), run))
  const missing = new GatewayError('not_found', 'nothing here')
  assert.equal(await running(() => {}), ['admit l0'])
  assert.match((await running(() => Promise.reject(missing)))[0] ?? '', 'not_found 404')
  assert.equal(await finishing()(flow => flow.admit(exchange(hi, 'admit'))), ['admit l0'])
  const refused = finishing({ refuses })
  assert.equal(await refused(flow => flow.admit(exchange(hi, 'admit'))), ['admit label-auth unauthorized 401'])
})

test('finishes a chat once whose client leaves before the answer', async () => {
  const cancellation = new Cancellation()
  const told = finishing({ answers: () => cancellation.guard(new Promise(() => {})) })
  const finished = told(flow => flow.handle(exchange(hi, 'chat', cancellation)))
  cancellation.cancel(new GatewayError('unanswered', 'all clients have left'))
  assert.equal(await finished, ['chat label-cache unanswered 502'])
})

test('finishes a chat once whose stream breaks, or whose readers leave, under the layer that began it', async () => {
  const broken = liveAnswer({
    format: 'native',
    source: (async function* () {
      yield { events: [{ type: 'text' as const, text: 'a' }], wire: 'a' }
      throw new ProviderError('network', 'the line broke')
    })(),
  })
  const breaking = finishing({ answers: async () => broken })
  const finished = breaking(flow => flow.handle(exchange()))
  await Promise.allSettled([
    (async () => {
      for await (const _ of broken.frames());
    })(),
  ])
  assert.equal(await finished, ['chat label-cache upstream_failed 502'])

  const cancellation = new Cancellation()
  const endless = liveAnswer({ format: 'native', source: (async function* () {})() })
  const leaving = finishing({ answers: async () => endedBy(endless, {}, cancellation) })
  const left = leaving(flow => flow.handle(exchange()))
  cancellation.cancel(new GatewayError('unanswered', 'all clients have left'))
  assert.equal(await left, ['chat label-cache unanswered 502'])
})

test('every tap of finish is called, also after one that throws', async () => {
  const flow = new Flow('chat', log)
  const finished: string[] = []
  layer(flow, 'broken', hooks =>
    hooks.finish.tap('', () => {
      throw new Error('disk full')
    }),
  )
  layer(flow, 'books', hooks => hooks.finish.tap('', ({ kind }) => void finished.push(kind)))
  warnings.length = 0
  await flow.handle(exchange()).closed
  assert.equal(finished, ['chat'])
  assert.equal(warnings, ['finish failed'])
})

test('what no layer threw is put down to the door or to the end of the flow', async () => {
  const open = exchange(badBody)
  await new Flow('chat', log).handle(open).closed
  assert.is(open.layer, 'l0')
  const unanswered = exchange()
  await new Flow('chat', log).handle(unanswered).closed
  assert.is(unanswered.layer, 'l3')
  assert.is(unanswered.failure?.layer, 'l3')
})

test('a tap has attributes while somebody traces, and only where its layer names a span', async () => {
  const flow = new Flow('chat', log)
  const seen: (string | undefined)[] = []
  for (const [name, spans] of [
    ['named', { answer: 'look_up' }],
    ['nameless', {}],
  ] as const) {
    const taps = new Taps({ name, label: name, deflects: false, observes: false, spans })
    taps.hooks.answer.tapPromise(name, async open => {
      seen.push(open.attributes && name)
      open.note('miss')
      open.attributes?.set('cache.hit', false)
      return undefined
    })
    taps.replay(flow.hooks)
  }
  await flow.handle(exchange()).closed
  assert.equal(seen, [undefined, undefined])

  const told: unknown[] = []
  const listen = (message: unknown): void => {
    const { span, tap, row } = message as TapTrace // the channel says what it is
    told.push([span, tap, row.outcome, row.ms > 0, row.attributes && Object.fromEntries(row.attributes)])
  }
  traces.taps.asyncEnd.subscribe(listen)
  await flow.handle(exchange()).closed
  traces.taps.asyncEnd.unsubscribe(listen)
  assert.equal(seen.slice(2), ['named', undefined])
  assert.equal(told, [
    ['look_up', 'named', 'miss', true, { 'cache.hit': false }],
    [undefined, 'nameless', 'miss', true, undefined],
  ])
})

test('an answer that is made by hand fails the request, and the log says how to make one', async () => {
  const errors: unknown[] = []
  const flow = new Flow('chat', { ...log, error: (message, fields) => void errors.push([message, fields?.error]) })
  layer(flow, 'cache', hooks => hooks.answer.tapPromise('', async () => ({ kind: 'whole' }) as never))
  const { answer: answering, closed } = flow.handle(exchange())
  await answering.then(
    () => assert.unreachable(),
    error => assert.is(error.code, 'internal'),
  )
  await closed
  const how = 'what it gave is no answer: make one with textAnswer, wholeAnswer, liveAnswer or bytesAnswer'
  assert.equal(errors, [['cache threw in answer', how]])
})

test.run()
