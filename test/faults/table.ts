import { FAULTS, type Fault } from './faults.ts'
import { type Cell, type Outcome, play, type Verdict } from './run.ts'
import { SURFACES, type Surface } from './surfaces.ts'

/** How a cell is set up, beside its fault, its surface and whether it streams. */
export interface Column {
  readonly title: string
  readonly chained: boolean
  readonly tuned: boolean
  readonly same: boolean
}

export const COLUMNS: readonly Column[] = [
  { title: 'default settings, the fallback says the same', chained: true, tuned: false, same: true },
  { title: 'default settings, the fallback says something else', chained: true, tuned: false, same: false },
  { title: '`faults.toml`, the fallback says something else', chained: true, tuned: true, same: false },
  { title: 'default settings, no fallback', chained: false, tuned: false, same: false },
]

/** Cells that are played at the same time: each waits most of the time. */
const AT_ONCE = 4

export interface Played extends Cell, Outcome {
  readonly column: Column
}

/** Plays all faults of these surfaces. */
export async function playAll(surfaces: readonly Surface[] = SURFACES): Promise<readonly Played[]> {
  const cells = surfaces.flatMap(surface =>
    FAULTS.flatMap(fault =>
      COLUMNS.flatMap(column => [true, false].map(stream => ({ fault, surface, stream, column, ...column }))),
    ),
  )
  const played: Played[] = []
  const queue = cells.entries()
  const worker = async (): Promise<void> => {
    for (const [at, cell] of queue) played[at] = { ...cell, ...(await play(cell)) }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return played
}

const RANK: readonly Verdict[] = ['pass', 'partial', 'safe', 'fail']

/** What can be said of a fault in one column: the worst of its cells. */
export const worst = (played: readonly Played[], fault: Fault, column: Column): Verdict =>
  played
    .filter(cell => cell.fault === fault && cell.column === column)
    .map(({ verdict }) => verdict)
    .sort((a, b) => RANK.indexOf(b) - RANK.indexOf(a))[0] ?? 'fail'

/** One table for all surfaces; where streamed and whole requests differ, or surfaces, the cell says both. */
export function tableOf(played: readonly Played[]): string {
  const head = ['', 'fault', 'wanted', ...COLUMNS.map(({ title }) => title)]
  const rows = FAULTS.map(fault => [
    fault.id,
    fault.title,
    fault.wanted,
    ...COLUMNS.map(column => cellText(played.filter(cell => cell.fault === fault && cell.column === column))),
  ])
  const counts = COLUMNS.map(column => {
    const passed = FAULTS.filter(fault => worst(played, fault, column) === 'pass').length
    return `**${passed} of ${FAULTS.length} pass**`
  })
  const lines = [head, head.map(() => '---'), ...rows, ['', '', '', ...counts]]
  return lines.map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function cellText(cells: readonly Played[]): string {
  const of = (stream: boolean): string => [...new Set(cells.filter(cell => cell.stream === stream).map(said))].join('/')
  const [streamed, whole] = [of(true), of(false)]
  return streamed === whole ? streamed : `streamed ${streamed}, whole ${whole}`
}

const said = ({ verdict, run }: Played): string => (run.secs >= 1 ? `${verdict} (${Math.round(run.secs)} s)` : verdict)
