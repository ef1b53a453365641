import { join } from 'node:path'
import { barOf } from '../../plugins/models/pair/calibration.ts'
import { ablationTable } from '../../scripts/pair/ablation.ts'
import {
  corpusLines,
  developmentPairs,
  familyPairs,
  languages,
  type Pair,
  type Part,
  root,
  STREAMS,
  tablePairs,
} from '../../scripts/pair/labelled.ts'
import { PairJudge } from '../../scripts/pair/pair-judge.ts'
import { countPairs, judgePairs, pairTables, reliability } from '../../scripts/pair/pair-tables.ts'
import { fillersOf, type Prepared, prepare, type Replay, refill, replay } from '../../scripts/pair/stream-replay.ts'
import { count } from '../../scripts/pair/stream-tables.ts'
import { percent, table } from '../../scripts/pair/tables.ts'

/** The default of `semantic_max_false_requests`. */
const FALSE_REQUESTS = 0.003
/** Sources of the development pairs that were written as traps. */
const TRAPS = ['adv_dev', 'own_intents']
const FILLED = [0, 1_000, 10_000]

/** What the judge says in this process, where many pairs take seconds. */
export class Judged {
  readonly #judge: PairJudge
  readonly #settings: Replay
  readonly #part: Part
  #streams: readonly Prepared[] | undefined

  private constructor(judge: PairJudge, part: Part) {
    this.#judge = judge
    this.#part = part
    this.#settings = {
      calibration: judge.calibration,
      bar: entries => barOf(judge.calibration, entries, FALSE_REQUESTS),
    }
  }

  /** `part`: which part of our own pairs counts. Rejects with an `Error` that names the remedy. */
  static async open(part: Part): Promise<Judged> {
    return new Judged(await PairJudge.open(join(root, 'models/deflector-pair')), part)
  }

  /** How often the network runs. */
  async shares(): Promise<string> {
    const lines = corpusLines()
    const rows: (string | number)[][] = []
    for (const size of FILLED) {
      const fillers = fillersOf(lines, this.#judge, size)
      for (const stream of this.#prepared()) {
        const c = count(await replay(refill(stream, fillers), this.#judge, this.#settings))
        const shares = [percent(c.judged, c.requests, 1), percent(c.missesJudged, c.misses, 1)]
        const labelled = [percent(c.hits, c.requests), c.wrong, c.unknown]
        rows.push([
          `${stream.name}, ${fillers.length} entries before`,
          ...labelled,
          ...shares,
          (c.runs / c.requests).toFixed(3),
        ])
      }
    }
    this.#judge.save()
    const head = ['', 'hits %', 'wrong', 'unlabelled', 'requests judged %', 'misses judged %', 'runs a request']
    return `\n## The network's share\n\n${table(head, rows)}`
  }

  async languages(): Promise<string> {
    const files: [string, Pair[]][] = [
      ['en', familyPairs(this.#part)],
      ...languages().map((two): [string, Pair[]] => [two, familyPairs(this.#part, two)]),
    ]
    const rows: (string | number)[][] = []
    for (const [language, pairs] of files) {
      const c = countPairs(await this.#judged(pairs))
      const same = [c.same, percent(c.sameNear, c.same, 1)]
      rows.push([language, ...same, c.traps, c.trapsNear, percent(c.trapsNear, c.traps)])
    }
    const head = ['', 'same', 'served %', 'traps', 'served', '%']
    return `\n## By language, part "${this.#part}" of our families\n\n${table(head, rows)}`
  }

  async traps(): Promise<string> {
    const developed = developmentPairs().filter(({ from }) => TRAPS.includes(from))
    return [
      '\n## By class of trap',
      pairTables(`our own pairs, part "${this.#part}"`, await this.#judged(this.#own())),
      pairTables('development pairs', await this.#judged(developed)),
    ].join('\n')
  }

  async rules(): Promise<string> {
    const [judge, settings, bar] = [this.#judge, this.#settings, this.#settings.bar(0)]
    const found = await ablationTable(judge, { streams: this.#prepared(), pairs: this.#own(), settings, bar })
    judge.save()
    return `\n## Rules\n${found}`
  }

  async reliability(): Promise<string> {
    return `\n## Reliability, part "${this.#part}"\n${reliability(await this.#judged(this.#own()))}`
  }

  #own(): Pair[] {
    return [...familyPairs(this.#part), ...tablePairs(this.#part)]
  }

  #prepared(): readonly Prepared[] {
    this.#streams ??= STREAMS.map(name => prepare(name, []))
    return this.#streams
  }

  async #judged(pairs: readonly Pair[]) {
    const judged = await judgePairs(pairs, this.#judge, { ...this.#settings, bar: this.#settings.bar(0) })
    this.#judge.save()
    return judged
  }
}
