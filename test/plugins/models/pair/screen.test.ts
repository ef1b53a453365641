import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { suite, test } from 'uvu'
import * as assert from 'uvu/assert'
import pair from '../../../../plugins/models/pair/index.ts'
import { readScreen, readTokenizer } from '../../../../plugins/models/pair/model-files.ts'
import { open } from '../../../../plugins/models/pair/open-judge.ts'
import { refusalOf } from '../../../../plugins/models/pair/rules.ts'
import type { Screen } from '../../../../plugins/models/pair/screen.ts'
import { Sides } from '../../../../plugins/models/pair/sides.ts'
import { pairsIn } from '../../../../scripts/pair/labelled.ts'
import { testHost } from '../../../contracts/host.ts'

const MODEL = fileURLToPath(new URL('../../../../models/deflector-pair', import.meta.url))
const UNSEEN = fileURLToPath(new URL('../../../../scripts/pair/own/unseen-2026-11-22.tsv', import.meta.url))
const LIKENESS = { shared: 0.5, contained: 0.75, length: 0.9 }

const screening = suite<{ screen: Screen }>('the screen')
screening.before(async context => {
  context.screen = await readScreen(MODEL)
})

screening('says of two prompts the same both ways round, whatever came before', async ({ screen }) => {
  const pieces = fc.array(fc.integer({ min: 0, max: 30_521 }), { maxLength: 64 })
  const fresh = await readScreen(MODEL)
  fc.assert(
    fc.property(pieces, pieces, fc.boolean(), (one, most, alike) => {
      const other = alike ? [...one.slice(1), ...most].slice(0, 64) : most
      const said = screen.probability(one, other, LIKENESS)
      assert.ok(said >= 0 && said <= 1)
      assert.is(screen.probability(other, one, LIKENESS), said)
      assert.is(fresh.probability([...other], [...one], LIKENESS), said)
    }),
    { numRuns: 60, seed: 1 },
  )
})

// The figures of the model's card.
screening('refuses a small share of rewordings that it has never seen, in two megabytes', async ({ screen }) => {
  const sides = new Sides(await readTokenizer(MODEL), { languages: new Set(['en']), maxPieces: 64 })
  const refused = { same: 0, trap: 0 }
  for (const { one, other, same } of pairsIn(UNSEEN)) {
    const [a, b] = [sides.read(one), sides.read(other)]
    if ('refused' in a || 'refused' in b || refusalOf(a.facts, b.facts)) continue
    if (screen.probability(a.pieces, b.pieces, sides.likeness(a, b)) < screen.least) refused[same ? 'same' : 'trap']++
  }
  assert.equal(refused, { same: 30, trap: 236 })
  assert.ok(statSync(join(MODEL, 'screen.bin')).size < 2_000_000)
})

screening.run()

test('a refused pair is not likely enough, and a likely one is the model to judge', async () => {
  const { judge } = await open({ folder: MODEL })
  const { least } = await readScreen(MODEL)
  const [other, same] = await judge('What is a mutex?', ['What is a semaphore?', 'what does mutex mean'])
  assert.is(other?.reason, undefined)
  assert.ok((other?.probability ?? 1) < least)
  assert.ok((same?.probability ?? 0) > 0.5)
})

test('a screen that is missing or cut says what helps', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'screen-'))
  try {
    cpSync(MODEL, folder, { recursive: true })
    const file = join(folder, 'screen.bin')
    const whole = readFileSync(file)
    for (const length of [0, 3, 200, 5_000, whole.length - 1]) {
      writeFileSync(file, whole.subarray(0, length))
      assert.match(await failure(open({ folder })), /pair model in .* cannot be loaded: .*cache_mode/s)
    }
    rmSync(file)
    const host = testHost('model')
    host.apply(pair, { model: folder })
    assert.match(await failure(host.start()), /cannot be loaded: ENOENT.*screen\.bin.*cache_mode/s)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  throw new Error('it did not fail')
}

test.run()
