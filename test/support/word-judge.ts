import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Before, Judge, Portable, Reading, Verdict, Verdicts } from 'deflector'

const MANNERS = new Set('please hello hi thanks good morning everyone many in advance'.split(' '))
const SMALL = new Set('a an the my i you that have do does did how can could to of is in for it'.split(' '))

export interface WordJudgeOptions {
  /** Folder of a `Gate`: each verdict keeps its process busy while that is closed, and for a moment when it is open. */
  readonly gate?: string | undefined
  /** Makes `open` fail with this. */
  readonly broken?: string
  /** A file without which `open` fails. */
  readonly needs?: string
}

const wordsOf = (text: string): string[] =>
  (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(word => !MANNERS.has(word))

/** A judge that counts words: how many of those that matter do two prompts share? Never with an opposite among them. */
export class WordJudge implements Judge {
  readonly fingerprint: string
  readonly portable: Portable

  constructor({ fingerprint = 'words', ...options }: WordJudgeOptions & { fingerprint?: string } = {}) {
    this.fingerprint = fingerprint
    this.portable = { module: import.meta.url, options }
  }

  read(text: string, { texts, follows }: Before = { texts: [], follows: false }): Reading {
    const words = wordsOf(text)
    const canonical = words.join(' ')
    const refused = text.includes('```')
      ? 'long_or_code'
      : words.some(word => word === 'today' || word === 'current')
        ? 'volatile'
        : texts.some(each => each.includes('Translate'))
          ? 'worked_on'
          : follows && words.length < 4
            ? 'leans'
            : undefined
    return {
      canonical,
      comparable: !text.includes('¿') && !(follows && words.includes('that')),
      ...(refused && { refused }),
    }
  }

  bar(entries: number, falseRequests: number): number {
    if (falseRequests === 0) return Number.POSITIVE_INFINITY
    return (entries > 1000 ? 0.8 : 0.7) - falseRequests
  }

  agree(one: string, other: string): boolean {
    return one === other
  }
}

function verdictOn(one: string, other: string): Verdict {
  const [here, there] = [one, other].map(text => new Set(wordsOf(text).filter(word => !SMALL.has(word))))
  if (!here || !there) return { probability: 0 }
  if (here.has('disable') !== there.has('disable')) return { probability: 0, reason: 'opposites' }
  let shared = 0
  for (const word of here) if (there.has(word)) shared++
  return { probability: shared / Math.max(1, here.size + there.size - shared) }
}

const CLOSED = 'closed'
const ASKED = 'asked'
/** Keeps the process busy with a pause, and ends one day also when nobody opens. */
const PAUSE_MS = 5
const PAUSES = 24_000

/** What a test holds the judge in another process with, and sees what it was asked. It is open at first. */
export class Gate {
  readonly folder = mkdtempSync(join(tmpdir(), 'gate-'))

  close(): void {
    writeFileSync(join(this.folder, CLOSED), '')
  }

  open(): void {
    rmSync(join(this.folder, CLOSED), { force: true })
  }

  /** The prompts for which verdicts were begun, one for each verdict. */
  asked(): string[] {
    const file = join(this.folder, ASKED)
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
  }

  /** Once the judge is gone. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Blocks the process, as a model in native code does. */
function block(ms?: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

function pass(gate: string, asked: string): void {
  appendFileSync(join(gate, ASKED), `${asked}\n`)
  let pauses = 0
  do block(PAUSE_MS)
  while (++pauses < PAUSES && existsSync(join(gate, CLOSED)))
}

/** The judge in another process. A prompt with the word `hang` never ends, one with `crash` ends the process. */
export function open({ gate, broken, needs }: WordJudgeOptions): Verdicts {
  if (broken) throw new Error(broken)
  if (needs && !existsSync(needs)) throw new Error(`${needs} is missing`)
  return {
    async judge(asked, stored) {
      const words = new Set(wordsOf(asked))
      if (words.has('hang')) block()
      if (words.has('crash')) process.exit(3)
      if (gate) pass(gate, asked)
      return stored.map(other => verdictOn(asked, other))
    },
  }
}
