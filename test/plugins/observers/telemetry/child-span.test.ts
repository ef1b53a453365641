import { SpanKind } from '@opentelemetry/api'
import { resources, type tracing } from '@opentelemetry/sdk-node'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { ChildSpan } from '../../../../plugins/observers/telemetry/child-span.ts'

const parent = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }

function made(start: number, end: number) {
  const ended: tracing.ReadableSpan[] = []
  let now = start
  const source = {
    resource: resources.emptyResource(),
    instrumentationScope: { name: 'deflector' },
    queue: { onEnd: (span: tracing.ReadableSpan) => void ended.push(span) },
  }
  const span = new ChildSpan(source, { name: 'one', parent, now: () => now })
  now = end
  return { span, ended, source }
}

test('a span belongs to its parent’s trace, and is queued once it has ended', () => {
  const { span, ended, source } = made(0, 1)
  const { traceId, traceFlags, spanId } = span.spanContext()
  assert.equal([traceId, traceFlags], [parent.traceId, 1])
  assert.match(spanId, /^[0-9a-f]{16}$/)
  assert.is.not(spanId, made(0, 1).span.spanContext().spanId)
  assert.is(span.parentSpanContext, parent)
  assert.is(span.kind, SpanKind.INTERNAL)
  assert.is(span.resource, source.resource)
  assert.equal(ended, [])
  span.end()
  assert.is(ended[0], span)
  assert.ok(span.ended)
})

test('times are whole nanoseconds, and a span may end in another second', () => {
  const { span } = made(1_700_000_000_999.5, 1_700_000_001_000.25)
  span.end()
  assert.equal(span.startTime, [1_700_000_000, 999_500_000])
  assert.equal(span.endTime, [1_700_000_001, 250_000])
  assert.equal(span.duration, [0, 750_000])
})

test('attributes without a value stay away, and long ones are cut', () => {
  const { span } = made(0, 1)
  span.set({ model: 'm'.repeat(300), status: 200, none: undefined, reasons: ['stop'] })
  span.set({ status: 201 })
  assert.equal(span.attributes, { model: 'm'.repeat(256), status: 201, reasons: ['stop'] })
  span.fail({ 'error.type': 'other' })
  assert.is(span.status.code, 2)
  assert.is(span.attributes['error.type'], 'other')
  assert.is(made(0, 1).span.status.code, 0, 'a status of its own')
})

test.run()
