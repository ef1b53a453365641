import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Answer,
  type Frame,
  isProviderError,
  type LiveAnswer,
  type Provider,
  type ProviderCall,
  type WholeAnswer,
} from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { plainPrompt } from './host.ts'
import { waiting } from './waiting.ts'

/** A provider ready to be called, made anew for each test. */
export interface ProviderUnderTest {
  readonly provider: Provider
  /** What its call needs beside a plain prompt: a key, a model. */
  readonly call?: Partial<ProviderCall>
  dispose?(): void | Promise<void>
}

export type MakeProvider = () => ProviderUnderTest | Promise<ProviderUnderTest>

export interface ProviderVariants {
  /** The same provider before a vendor that fails. */
  readonly broken?: MakeProvider
  /** The same provider before a vendor that never answers. */
  readonly silent?: MakeProvider
}

/** Turns of the event loop in which a call gets under way. */
const TURNS = 20

/**
 * What every provider promises (`Provider` in `core/host.ts`), as tests. A test file calls this, then `test.run()`:
 *
 * ```ts
 * checkProvider('parrot', () => ({ provider: testHost('provider').apply(parrot, {}) }))
 * test.run()
 * ```
 */
export function checkProvider(name: string, make: MakeProvider, variants: ProviderVariants = {}): void {
  const check = (title: string, from: MakeProvider, run: (made: ProviderUnderTest) => Promise<void>): void =>
    void test(`${name}: ${title}`, async () => {
      const made = await from()
      try {
        await run(made)
      } finally {
        await made.dispose?.()
      }
    })

  check('answers a call as a whole', make, async made => {
    const answer = await made.provider.complete(callFor(made))
    assert.is(answer.kind, 'whole', 'a call that does not stream gets a whole answer')
    complete(answer as WholeAnswer)
  })

  check('answers a streamed call to its end', make, async made => {
    const answer = await made.provider.complete(callFor(made, { stream: true }))
    if (answer.kind === 'whole') return complete(answer) // a vendor that cannot stream is allowed
    assert.is(answer.kind, 'live')
    if (answer.kind !== 'live') return
    const frames = await drained(answer)
    const events = frames.flatMap(frame => frame.events)
    assert.is(events.filter(({ type }) => type === 'end').length, 1, 'one terminal event')
    assert.is(events.at(-1)?.type, 'end', 'nothing after it')
    const whole = await answer.whole
    complete(whole)
    assert.equal(await drained(answer), frames, 'who comes late reads the same frames')
  })

  check('refuses a call that was given up before it began', make, async made => {
    await failsProperly(made.provider.complete(callFor(made, { signal: AbortSignal.abort() })))
  })

  check('ends when everybody leaves in mid-answer', make, async made => {
    const abort = new AbortController()
    const answer = await made.provider.complete(callFor(made, { stream: true, signal: abort.signal }))
    if (answer.kind !== 'live') return
    const frames = answer.frames()[Symbol.asyncIterator]()
    await frames.next()
    abort.abort()
    try {
      while (!(await frames.next()).done);
    } catch {
      // it may break off, or have been over already
    }
  })

  check('offers keys that can be used', make, async ({ provider }) => {
    const keys = provider.keys?.().map(({ key }) => key) ?? []
    assert.ok(keys.every(key => typeof key === 'string' && key !== ''))
    assert.is(new Set(keys).size, keys.length, 'each key once')
    if (provider.model !== undefined) assert.ok(provider.model.length > 0)
  })

  if (variants.broken) {
    check('fails with a ProviderError and nothing else', variants.broken, async made => {
      const error = await failsProperly(made.provider.complete(callFor(made)))
      const key = made.call?.key
      if (key !== undefined) assert.not(String((error as Error).message).includes(key), 'a message never holds a key')
    })
  }

  if (variants.silent) {
    check('stops waiting when everybody leaves', variants.silent, async made => {
      const abort = new AbortController()
      const answer = made.provider.complete(callFor(made, { signal: abort.signal }))
      answer.catch(() => {})
      for (let turn = 0; turn < TURNS; turn++) await nextTurn()
      abort.abort()
      await failsProperly(answer)
    })
  }
}

function callFor({ call }: ProviderUnderTest, more: Partial<ProviderCall> = {}): ProviderCall {
  return {
    prompt: plainPrompt('hello'),
    model: 'sample-model',
    stream: false,
    key: undefined,
    requestId: 'request1',
    headers: {},
    ...call,
    ...more,
    ...waiting(more.signal ?? call?.signal),
  }
}

function complete(answer: WholeAnswer): void {
  const { completion } = answer
  assert.ok(completion !== null && typeof completion === 'object', 'there is an answer')
  assert.ok(completion.blocks.length > 0, 'it says something')
  assert.type(completion.model, 'string')
  assert.type(completion.stop.reason, 'string')
}

async function drained(answer: LiveAnswer): Promise<Frame[]> {
  const frames: Frame[] = []
  for await (const frame of answer.frames()) frames.push(frame)
  return frames
}

async function failsProperly(answer: Promise<Answer>): Promise<unknown> {
  try {
    await answer
  } catch (error) {
    assert.ok(isProviderError(error), `a ProviderError was expected, not ${String(error)}`)
    return error
  }
  return assert.unreachable('the call should have failed')
}
