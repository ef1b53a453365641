import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reading } from 'deflector'
import { type Calibration, probabilityOf } from '../../plugins/models/pair/calibration.ts'
import type { Likeness } from '../../plugins/models/pair/likeness.ts'
import {
  comparedBy,
  readScreen,
  readSettings,
  readTokenizer,
  weightsOf,
} from '../../plugins/models/pair/model-files.ts'
import { open } from '../../plugins/models/pair/open-judge.ts'
import { type Compared, readPrompt } from '../../plugins/models/pair/reading.ts'
import { RULES } from '../../plugins/models/pair/rules.ts'
import { type Logit, openWeights } from '../../plugins/models/pair/runtime.ts'
import type { Screen } from '../../plugins/models/pair/screen.ts'
import { type Side, Sides } from '../../plugins/models/pair/sides.ts'
import { keyOf, linesOf, root } from './labelled.ts'
import { remembered } from './remembered.ts'

/** What the cheap parts of the judge say of a pair, apart from one another. */
export interface Met {
  readonly one: string
  readonly other: string
  /** Every reason against it, in the judge's order. */
  readonly against: readonly string[]
  readonly likeness: Likeness
  /** What the screen guesses, where that is too little for the network to be asked. */
  readonly screened?: number
  /** Of the network, once it was asked. */
  logit?: number
}

/** What can be changed from one replay to the next. */
export interface Settings {
  readonly calibration: Omit<Calibration, 'bars'>
  /** Asks the network whatever the screen says. */
  readonly unscreened?: boolean
  /** A rule that is left out. */
  readonly without?: string | undefined
}

export interface Said {
  readonly probability: number
  readonly reason?: string
  /** Did the network have to run? */
  readonly judged: boolean
}

/** The judge taken apart: each rule and the network by itself. What the network said is kept in a file. */
export class PairJudge {
  readonly folder: string
  readonly calibration: Calibration
  readonly #compared: Compared
  readonly #sides: Sides
  readonly #screen: Screen
  readonly #logit: Logit
  readonly #file: string
  readonly #known: Map<string, number>
  readonly #read = new Map<string, Side>()
  readonly #readings = new Map<string, Reading>()
  #unsaved: string[] = []

  /** `work` holds what the network said. Rejects with an `Error` that names the remedy. */
  static async open(folder: string, work = join(root, '.pair')): Promise<PairJudge> {
    const settings = await readSettings(folder)
    const tokenizer = await readTokenizer(folder)
    const [screen, weights] = [await readScreen(folder), weightsOf(folder)]
    return new PairJudge({ folder, work, tokenizer, screen, weights, ...settings }, await openWeights(weights))
  }

  private constructor({ folder, work, config, calibration, tokenizer, screen, weights }: Opened, logit: Logit) {
    this.folder = folder
    this.calibration = calibration
    this.#compared = comparedBy(config)
    this.#sides = new Sides(tokenizer, this.#compared)
    this.#screen = screen
    this.#logit = logit
    const digest = createHash('sha256')
      .update(JSON.stringify(tokenizer))
      .update(readFileSync(weights))
      .digest('hex')
      .slice(0, 16)
    mkdirSync(work, { recursive: true })
    this.#file = join(work, `logits-${digest}.tsv`)
    const lines = existsSync(this.#file) ? linesOf(this.#file) : []
    this.#known = new Map(lines.map(line => [line.slice(0, 16), Number(line.slice(17))] as const))
  }

  /** As the main thread reads a prompt. */
  read(text: string): Reading {
    return remembered(this.#readings, text, () => readPrompt(text, { ...this.#compared, areWork: () => false }))
  }

  meet(one: string, other: string): Met {
    const [a, b] = [this.#side(one), this.#side(other)]
    const met = this.#metBy(one, other, a, b)
    const logit = this.#known.get(keyOf(one, other))
    if (logit !== undefined) met.logit = logit
    return met
  }

  #metBy(one: string, other: string, a: Side, b: Side): Met {
    if ('refused' in a || 'refused' in b) {
      const against = [a, b].flatMap(side => ('refused' in side ? [side.refused] : []))
      return { one, other, against, likeness: NONE }
    }
    const against = RULES.filter(rule => !rule.agrees(a.facts, b.facts)).map(({ id }) => id)
    const likeness = this.#sides.likeness(a, b)
    const guess = this.#screen.probability(a.pieces, b.pieces, likeness)
    return { one, other, against, likeness, ...(guess < this.#screen.least && { screened: guess }) }
  }

  /** A promise only where the network has to run. */
  judge(met: Met, { calibration, without, unscreened }: Settings): Said | Promise<Said> {
    const reason = met.against.find(id => id !== without)
    if (reason !== undefined) return { probability: 0, reason, judged: false }
    if (met.screened !== undefined && !unscreened) return { probability: met.screened, judged: false }
    const said = (logit: number): Said => ({
      probability: probabilityOf(logit, met.likeness, calibration),
      judged: true,
    })
    return met.logit === undefined ? this.weigh(met).then(said) : said(met.logit)
  }

  /** Asks the network. */
  async weigh(met: Met): Promise<number> {
    if (met.logit !== undefined) return met.logit
    const [a, b] = [this.#side(met.one), this.#side(met.other)]
    if ('refused' in a || 'refused' in b) throw new RangeError(`the network cannot read a pair: ${met.against}`)
    const { ids, types } = this.#sides.input(a, b)
    met.logit = await this.#logit(ids, types)
    this.#unsaved.push(`${keyOf(met.one, met.other)}\t${met.logit}\n`)
    if (this.#unsaved.length >= 500) this.save()
    return met.logit
  }

  save(): void {
    if (this.#unsaved.length > 0) appendFileSync(this.#file, this.#unsaved.join(''))
    this.#unsaved = []
  }

  /** Throws where the judge of the gateway says something else than its parts do here. */
  async compareWithGateway(some: readonly Met[]): Promise<void> {
    const { judge } = await open({ folder: this.folder })
    for (const met of some) {
      const here = await this.judge(met, { calibration: this.calibration })
      const [there] = await judge(met.one, [met.other])
      if (!there || there.reason !== here.reason || Math.abs(there.probability - here.probability) > 1e-4)
        throw new Error(
          `the gateway says ${JSON.stringify(there)}, its parts ${JSON.stringify(here)}: ${met.one} | ${met.other}`,
        )
    }
  }

  #side(text: string): Side {
    return remembered(this.#read, text, () => this.#sides.read(text))
  }
}

const NONE: Likeness = { shared: 0, contained: 0, length: 0 }

interface Opened extends Awaited<ReturnType<typeof readSettings>> {
  readonly folder: string
  readonly work: string
  readonly tokenizer: unknown
  readonly screen: Screen
  /** A file's name. */
  readonly weights: string
}
