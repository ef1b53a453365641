import { AGENT_SESSIONS } from '../agent-bodies.ts'
import { bodyOf, optimised, piecesOf, tokensOf } from './optimised.ts'
import { percent, type Section, table } from './section.ts'

const OFF = { dedup: false, minify: false }
const STAGES: readonly (readonly [string, object])[] = [
  ['minify', { ...OFF, minify: true }],
  ['dedup', { ...OFF, dedup: true }],
  ['both (default)', {}],
  ['and tool results', { tool_results: true }],
]

/** What each stage takes out of whole conversations: every turn carries all that was said before. */
export const saved: Section = {
  title: 'Bytes and tokens saved on conversations of agents',
  async print() {
    const rows: (string | number)[][] = []
    for (const session of AGENT_SESSIONS) {
      const bodies = [...session.turns, ...session.side]
      const sizeOf = async (options: object): Promise<readonly [bytes: number, tokens: number]> => {
        const sent = await optimised(session, bodies, options)
        const pieces = sent.flatMap(prompt => piecesOf(bodyOf(prompt)))
        return [
          sent.reduce((sum, { bytes }) => sum + bytes.length, 0),
          pieces.reduce((sum, { text }) => sum + tokensOf(text), 0),
        ]
      }
      const [bytes, tokens] = await sizeOf({ enabled: false })
      const cells: string[] = []
      for (const [, options] of STAGES) {
        const [fewer, less] = await sizeOf(options)
        cells.push(`${percent(bytes - fewer, bytes)} / ${percent(tokens - less, tokens)}`)
      }
      rows.push([`${session.name} (${session.format})`, bodies.length, bytes, tokens, ...cells])
    }
    return table(
      ['conversation', 'requests', 'bytes', 'tokens', ...STAGES.map(([name]) => `${name}: bytes / tokens`)],
      rows,
    )
  },
}
