import type { Prompt } from 'deflector'
import { AGENT_SESSIONS } from '../agent-bodies.ts'
import { bodyOf, optimised, type Piece, piecesOf, tokensOf } from './optimised.ts'
import { percent, type Section, table } from './section.ts'

/** What a token costs beside one that no cache is asked for, as vendors have it on their lists. */
const READ = 0.1
const WRITTEN = 1.25
/** A vendor caches no shorter prompt. */
const LEAST = 1024

/** Tokens of a conversation, each at its price, where the vendor caches unasked: what a request begins with as the one before. */
function unasked(sent: readonly (readonly Piece[])[]): number {
  return sent.reduce((sum, pieces, at) => sum + priced(pieces, sharedTokens(pieces, sent[at - 1] ?? []), 0), 0)
}

/** The same where it caches what is marked: a mark writes all before it that was not there yet. */
function byMarks(sent: readonly (readonly Piece[])[]): number {
  const written = new Set<string>()
  return sent.reduce((sum, pieces) => {
    const heads = pieces.map((_, at) => JSON.stringify(pieces.slice(0, at + 1).map(({ text }) => text)))
    const read = tokensIn(pieces.slice(0, pieces.findLastIndex((_, at) => written.has(heads[at] ?? '')) + 1))
    const upTo = tokensIn(pieces.slice(0, pieces.findLastIndex(({ marked }) => marked) + 1))
    for (const [at, { marked }] of pieces.entries())
      if (marked && tokensIn(pieces.slice(0, at + 1)) >= LEAST) written.add(heads[at] ?? '')
    const isCached = upTo >= LEAST
    return sum + priced(pieces, isCached ? read : 0, isCached ? Math.max(0, upTo - read) : 0)
  }, 0)
}

const tokensIn = (pieces: readonly Piece[]): number => pieces.reduce((sum, { text }) => sum + tokensOf(text), 0)

function sharedTokens(pieces: readonly Piece[], before: readonly Piece[]): number {
  let at = 0
  while (at < pieces.length && pieces[at]?.text === before[at]?.text) at++
  const shared = tokensIn(pieces.slice(0, at))
  return shared < LEAST ? 0 : shared
}

const priced = (pieces: readonly Piece[], read: number, written: number): number =>
  tokensIn(pieces) - read - written + read * READ + written * WRITTEN

const SETTINGS: readonly (readonly [string, object])[] = [
  ['off', { enabled: false }],
  ['default', {}],
  ['tool results', { tool_results: true }],
  ['breakpoints', { breakpoints: true }],
]

/** What a conversation costs, in tokens at the price of one that is not cached. */
export const cache: Section = {
  title: "What conversations cost with their vendors' caches",
  async print() {
    const rows: (string | number)[][] = []
    for (const session of AGENT_SESSIONS) {
      const costs: number[] = []
      for (const [, options] of SETTINGS) {
        const piecesIn = (prompts: readonly Prompt[]): Piece[][] => prompts.map(prompt => piecesOf(bodyOf(prompt)))
        const turns = piecesIn(await optimised(session, session.turns, options))
        const side = piecesIn(await optimised(session, session.side, options))
        const price = session.format === 'messages' ? byMarks : unasked
        costs.push(price(turns) + side.reduce((sum, one) => sum + price([one]), 0))
      }
      const [off = 1, ...on] = costs
      const cells = on.map(cost => `${Math.round(cost)} (${percent(cost - off, off)})`)
      rows.push([`${session.name} (${session.format})`, Math.round(off), ...cells])
    }
    return table(['conversation', ...SETTINGS.map(([name]) => name)], rows)
  },
}
