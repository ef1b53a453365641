import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FAULTS } from './faults.ts'
import { type Cell, type Outcome, play, type Verdict } from './run.ts'
import { SURFACES, type Surface } from './surfaces.ts'

/** What is better with a second provider after five seconds: less time, and never another outcome. */
const HEDGED = { SERVICE__HEDGE_AFTER_MS: '5000', SERVICE__HEDGE_BUDGET: '1' }
const POOL = {
  SERVICE__PROVIDER_KEYS: JSON.stringify([
    { key: 'first-key', priority: 1 },
    { key: 'second-key', priority: 2 },
  ]),
}
/** Cells with default settings, each played once for all that is compared with it. */
const plains = new Map<string, Promise<Outcome>>()

function playPlain(cell: Cell): Promise<Outcome> {
  const id = `${cell.surface.name} ${cell.fault.id} ${cell.stream}`
  const playing = plains.get(id) ?? play(cell)
  plains.set(id, playing)
  return playing
}

const RANK: readonly Verdict[] = ['pass', 'partial', 'safe', 'fail']

/** Far from reached: each attempt reserves and settles. */
const quotas = ({ primary, fallback }: Surface): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [primary, fallback].flatMap(name => {
      const policy = `SERVICE__QUOTA__${name.toUpperCase()}`
      return [
        [`${policy}__DAILY_TOKEN_LIMIT`, '1000000000'],
        [`${policy}__ACTION_ON_LIMIT`, 'fallback'],
      ]
    }),
  )

for (const [title, more] of [
  ['hedging', () => HEDGED],
  ['a pool', () => POOL],
  ['hedging, a pool and quotas', surface => ({ ...HEDGED, ...POOL, ...quotas(surface) })],
] as const satisfies [string, (surface: Surface) => Readonly<Record<string, string>>][])
  for (const surface of SURFACES.slice(0, 3))
    test(`${surface.name}: with ${title} no fault ends worse`, async () => {
      const settings: Readonly<Record<string, string>> = more(surface)
      for (const fault of FAULTS)
        for (const stream of [true, false]) {
          const cell = { fault, surface, stream, chained: true, tuned: false, same: true }
          const [plain, hedged] = await Promise.all([playPlain(cell), play({ ...cell, settings })])
          const said = `${fault.id} ${stream ? 'streamed' : 'whole'}: ${plain.verdict} in ${plain.run.secs} s, ${hedged.verdict} in ${hedged.run.secs} s`
          // Another key need not be waited for: that is better than wanted.
          const isAtOnce = 'SERVICE__PROVIDER_KEYS' in settings && fault.id === 'S01'
          if (isAtOnce) assert.ok(hedged.run.all.every(({ whole }) => whole) && hedged.run.calls.fallback === 0, said)
          else assert.ok(RANK.indexOf(hedged.verdict) <= RANK.indexOf(plain.verdict), said)
          assert.ok(hedged.run.secs <= plain.run.secs + 1, said)
          // Silent for good, or for long: nobody waits for the limits of an attempt.
          if (
            'SERVICE__HEDGE_AFTER_MS' in settings &&
            surface.name !== 'responses' &&
            ['S06', 'S07'].includes(fault.id)
          )
            assert.ok(hedged.run.secs < 6 && hedged.verdict === 'pass', said)
        }
    })

test.run()
