import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Cancellation } from '../../core/cancellation.ts'

test('tells those who wait, once each, and those who come too late at once', () => {
  const cancellation = new Cancellation()
  const heard: unknown[] = []
  cancellation.onCancel(reason => heard.push(reason))
  const forget = cancellation.onCancel(() => heard.push('never'))
  forget()
  cancellation.cancel('first')
  cancellation.cancel('second')
  cancellation.onCancel(reason => heard.push(`late ${reason}`))
  assert.equal(heard, ['first', 'late first'])
  assert.is(cancellation.reason, 'first')
  assert.throws(
    () => cancellation.throwIfCancelled(),
    (error: unknown) => error === 'first',
  )
})

test('a listener may take another one away, or cancel again, while all are told', () => {
  const cancellation = new Cancellation()
  const heard: string[] = []
  cancellation.onCancel(() => {
    heard.push('one')
    cancellation.cancel('again')
    forget()
  })
  const forget = cancellation.onCancel(() => heard.push('two'))
  cancellation.cancel('now')
  assert.equal(heard, ['one', 'two'])
})

test('its signal is the same thing, whether it is asked for before or after', () => {
  const early = new Cancellation()
  const { signal } = early
  assert.not(signal.aborted)
  early.cancel('gone')
  assert.ok(signal.aborted)
  assert.is(signal.reason, 'gone')
  assert.is(early.signal, signal)
  const late = new Cancellation()
  late.cancel('gone')
  assert.is(late.signal.reason, 'gone')
})

test('follows a signal, an aborted one too', () => {
  const controller = new AbortController()
  const cancellation = Cancellation.following(controller.signal)
  assert.not(cancellation.cancelled)
  controller.abort('gone')
  assert.is(cancellation.reason, 'gone')
  assert.ok(Cancellation.following(AbortSignal.abort()).cancelled)
})

test('guards work: its outcome if that comes first, else the reason', async () => {
  const cancellation = new Cancellation()
  assert.is(await cancellation.guard(Promise.resolve(1)), 1)
  assert.is(await cancellation.guard(Promise.reject(2)).catch(error => error), 2)
  const endless = cancellation.guard(new Promise(() => {})).catch(reason => reason)
  cancellation.cancel('gone')
  assert.is(await endless, 'gone')
  assert.is(await cancellation.guard(new Promise(() => {})).catch(reason => reason), 'gone')
})

test.run()
