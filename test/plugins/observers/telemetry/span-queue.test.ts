import { setImmediate as nextTurn } from 'node:timers/promises'
import { tracing } from '@opentelemetry/sdk-node'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SpanQueue } from '../../../../plugins/observers/telemetry/span-queue.ts'

type Done = Parameters<tracing.SpanExporter['export']>[1]

/** A queue before an exporter that takes `tookMs` by the clock for each message and replies when it is told. */
function queued(tookMs = 0) {
  let now = 0
  const pauses: { readonly ms: number; readonly run: () => void }[] = []
  const clock = {
    monotonic: () => now,
    after(ms: number, run: () => void) {
      pauses.push({ ms, run })
      return () => {}
    },
  }
  const said: string[] = []
  const log = {
    degraded: (_key: string, message: string) => void said.push(message),
    recovered: (_key: string, message: string, fields?: object) =>
      void said.push(`${message} ${JSON.stringify(fields)}`),
  }
  const messages: { readonly spans: number; readonly done: Done }[] = []
  const exporter: tracing.SpanExporter = {
    export(spans, done) {
      now += tookMs
      messages.push({ spans: spans.length, done })
    },
    shutdown: async () => {},
  }
  const queue = new SpanQueue(exporter, { clock, log, timeoutMs: 60_000 })
  const tracer = new tracing.BasicTracerProvider({ spanProcessors: [queue] }).getTracer('test')
  const end = (count: number): void => {
    for (let at = 0; at < count; at++) tracer.startSpan('one').end()
  }
  const pass = (ms: number): void => {
    now += ms
  }
  return { queue, tracer, end, messages, pauses, said, pass }
}

const reply = async ({ done }: { readonly done: Done } = { done: () => {} }): Promise<void> => {
  done({ code: 0 })
  await nextTurn()
}

test('while many spans wait no trace begins, and one under way keeps its spans', async () => {
  const { queue, tracer, end, messages, said } = queued()
  const open = tracer.startSpan('open')
  end(4095)
  assert.ok(queue.admits())
  end(1)
  assert.is(queue.admits(), false)
  assert.is(queue.admits(), false)
  open.end()
  assert.match(said[0] ?? '', 'whole traces are left out')
  for (let at = 0; messages[at]; at++) await reply(messages[at])
  await Promise.all([queue.forceFlush(), reply(messages.at(-1))])
  assert.is(
    messages.reduce((sum, { spans }) => sum + spans, 0),
    4097,
  )
  assert.ok(queue.admits())
  assert.is(said.at(-1), 'all spans are sent again {"left_out":2}')
})

test('no more spans wait than there is room for, and all that waited are sent', async () => {
  const { queue, end, messages } = queued()
  end(9000)
  for (let at = 0; messages[at]; at++) await reply(messages[at])
  assert.is(
    messages.reduce((sum, { spans }) => sum + spans, 0),
    8192,
  )
  assert.ok(queue.admits())
})

test('an export is followed by a pause of nineteen times what it took, in which no other begins', async () => {
  const { end, messages, pauses, pass } = queued(3)
  end(600)
  assert.is(messages.length, 1)
  pass(7)
  await reply(messages[0])
  assert.is(messages.length, 1)
  assert.equal(
    pauses.map(({ ms }) => ms),
    [3 / 0.05 - 10],
  )
  pauses[0]?.run()
  await nextTurn()
  assert.is(messages.length, 2)
  pass(100)
  await reply(messages[1])
  assert.is(pauses.length, 1, 'the collector took longer than the pause')
})

test.run()
