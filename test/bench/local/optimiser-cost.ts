import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers'
import { nextTurn, type Prompt } from 'deflector'
import optimiser from '../../../plugins/layers/optimiser/index.ts'
import { TestExchange, testHost } from '../../contracts/host.ts'
import { AGENT_SESSIONS } from '../agent-bodies.ts'
import { exactHit, timesOf } from './layer-times.ts'
import { promptFor } from './optimised.ts'
import { type Section, table } from './section.ts'

const ROUNDS = 400
const TURN_ROUNDS = 60

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0

const chat = (system: string | undefined, words: number): Prompt =>
  promptFor(
    { format: 'chat-completions' },
    {
      messages: [
        ...(system === undefined ? [] : [{ role: 'system', content: system }]),
        { role: 'user', content: 'word '.repeat(words) },
      ],
    },
  )

const RULES = '## Rules\n\n- Be brief, and say why.\n\n\n<!-- for people -->\n\n'

/** Watches how long other work waits for its turn of the event loop. */
function watchTurns(): () => number {
  let longest = 0
  let last = performance.now()
  const look = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
    next = setImmediate(look)
  }
  let next = setImmediate(look)
  return () => {
    clearImmediate(next)
    return longest
  }
}

/** Microseconds: the median, nearly the longest, and the median of the longest turns. */
async function mediansOf(prompts: (round: number) => Prompt): Promise<readonly [number, number, number]> {
  const host = testHost('layer')
  host.apply(optimiser, {})
  await host.start()
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const exchange = new TestExchange({ prompt: prompts(round) })
    const began = performance.now()
    await host.call.answer(exchange)
    times.push((performance.now() - began) * 1000)
  }
  const turns: number[] = []
  for (let round = 0; round < TURN_ROUNDS; round++) {
    const exchange = new TestExchange({ prompt: prompts(ROUNDS + round) })
    await nextTurn()
    const longest = watchTurns()
    await host.call.answer(exchange)
    await nextTurn()
    turns.push(longest() * 1000)
  }
  await host.dispose()
  return [at(times, 0.5), at(times, 0.99), at(turns, 0.5)]
}

/** Microseconds that a request spends in the layer, hook and trail included. */
export const cost: Section = {
  title: 'What the context optimiser costs a request',
  async print() {
    const agent = AGENT_SESSIONS.find(({ format }) => format === 'generate-content')
    const cases: readonly (readonly [string, (round: number) => Prompt])[] = [
      ['no instructions', () => chat(undefined, 100)],
      ['a conversational system text', () => chat('A heron is a bird.', 100)],
      ['short instructions, seen before', () => chat(`${RULES}Always.`, 100)],
      ['instructions of 32 KB, seen before', () => promptFor({ format: 'generate-content' }, agent?.turns[0] ?? {})],
      ['instructions of 32 KB, new each time', round => chat(RULES.repeat(530) + round, 10)],
      ['instructions of 120 KB, new each time', round => chat(RULES.repeat(2_000) + round, 10)],
    ]
    const rows: (string | number)[][] = []
    const [hit] = await timesOf(await exactHit(), () => 'hit')
    for (const [name, prompts] of cases) {
      const [median, longest, turn] = await mediansOf(prompts)
      rows.push([name, median.toFixed(0), longest.toFixed(0), (median / hit).toFixed(1), turn.toFixed(0)])
    }
    const columns = ['median, us', '99 %, us', 'median over that of an exact hit', 'longest turn, median, us']
    return table(['request', ...columns], rows)
  },
}
