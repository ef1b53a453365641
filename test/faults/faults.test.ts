import { readFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FAULTS, type Fault } from './faults.ts'
import type { Verdict } from './run.ts'
import { SURFACES } from './surfaces.ts'
import { COLUMNS, type Column, type Played, playAll, tableOf, worst } from './table.ts'

/** Streams that break off after their first byte: a whole answer needs one that begins the same, or patience. */
const BROKEN = new Set(['S08', 'S09', 'S10', 'S14'])

/** What a cell has to show. Nothing may ever `fail`. */
function expected(fault: Fault, { chained, tuned, same }: Column, stream: boolean): Verdict {
  if (!chained) return fault.alone === 'whole' ? 'pass' : 'safe'
  if (tuned) return 'pass'
  if (fault.id === 'S12') return 'safe'
  if (fault.id === 'S07' && stream) return 'partial'
  return BROKEN.has(fault.id) && stream && !same ? 'safe' : 'pass'
}

test('sixteen faults, each with and without a fallback', () => {
  const ids = Array.from({ length: 16 }, (_, at) => `S${String(at + 1).padStart(2, '0')}`)
  assert.equal(
    FAULTS.map(({ id }) => id),
    ids,
  )
  assert.equal(
    COLUMNS.map(({ chained, tuned, same }) => [chained, tuned, same]),
    [
      [true, false, true],
      [true, false, false],
      [true, true, false],
      [false, false, false],
    ],
  )
  assert.is(SURFACES.length, 5)
})

const all: Played[] = []

for (const surface of SURFACES) {
  test(`${surface.name}: every fault ends as it should`, async () => {
    const played = await playAll([surface])
    all.push(...played)
    const wrong = played.filter(cell => cell.verdict !== expected(cell.fault, cell.column, cell.stream))
    assert.equal(
      wrong.map(({ fault, column, stream, verdict, run }) => ({ id: fault.id, column, stream, verdict, run })),
      [],
    )
    assert.is(played.length, FAULTS.length * COLUMNS.length * 2)
  })
}

test('ten faults pass with default settings whatever the fallback says, fourteen where it says the same or with faults.toml', () => {
  const passing = (column: Column): number => FAULTS.filter(fault => worst(all, fault, column) === 'pass').length
  const [same, other, tuned] = COLUMNS
  if (!same || !other || !tuned) throw new Error('a column is missing')
  assert.is(passing(same), 14)
  assert.is(passing(other), 10)
  assert.is(passing(tuned), 16)
})

test('the README shows what was played', () => {
  assert.ok(readFileSync(new URL('README.md', import.meta.url), 'utf8').includes(tableOf(all)))
})

test.run()
