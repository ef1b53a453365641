import { performance } from 'node:perf_hooks'
import { type Exchange, type Prompt, type Store, textAnswer } from 'deflector'
import exactCache from '../../../plugins/layers/exact-cache/index.ts'
import memory from '../../../plugins/stores/memory.ts'
import { ManualClock, TestExchange, testHost } from '../../contracts/host.ts'
import { promptFor } from './optimised.ts'

const ROUNDS = 400
const WARM_UP = 50

/** A layer alone, in a host of its own. */
export interface Timed {
  readonly run: (exchange: Exchange) => Promise<unknown>
  readonly dispose: () => Promise<void>
}

const chat = (text: string): Prompt =>
  promptFor({ format: 'chat-completions' }, { messages: [{ role: 'user', content: text }] })

/** The exact cache with one answer in memory, to `hit`. */
export async function exactHit(): Promise<Timed> {
  const clock = new ManualClock()
  const store: Store = testHost('store', { clock }).apply(memory)
  const host = testHost('layer', { clock, stores: { answers: store } })
  host.apply(exactCache, { store: 'answers' })
  await host.start()
  await host.call.settle(new TestExchange({ prompt: chat('hit') }), textAnswer('Yes.', { model: 'm' }))
  return { run: exchange => host.call.answer(exchange), dispose: () => host.dispose() }
}

/** Microseconds: the median, and nearly the longest. */
export async function timesOf(
  { run, dispose }: Timed,
  text: (round: number) => string,
): Promise<readonly [median: number, longest: number]> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS + WARM_UP; round++) {
    const exchange = new TestExchange({ prompt: chat(text(round)) })
    const began = performance.now()
    await run(exchange)
    if (round >= WARM_UP) times.push((performance.now() - began) * 1000)
  }
  await dispose()
  times.sort((a, b) => a - b)
  return [times[ROUNDS / 2] ?? 0, times[Math.floor(ROUNDS * 0.99)] ?? 0]
}
