import { Box } from 'ink'
import type { ReactNode } from 'react'
import type { Piece } from './columns.ts'
import { bars, count, duration, mebibytes, rate, share, since, usd } from './figures.ts'
import { Line } from './lines.tsx'
import { type Picture, rateOf, steps } from './picture.ts'
import { columnsOf, shortened } from './terminal-text.ts'
import { TABS, takesFilter, type View } from './view.ts'

const GAP: Piece = { text: '  ' }
const spaced = (groups: readonly (readonly Piece[])[]): Piece[] =>
  groups.flatMap((group, at) => (at === 0 ? group : [GAP, ...group]))
const fact = (name: string, value: string): Piece[] => [{ text: `${name} `, tone: 'dim' }, { text: value }]

/** Where the gateway is, how the connection is, and the tabs. */
export function Header({
  address,
  picture,
  view,
  now,
}: {
  readonly address: string
  readonly picture: Picture
  readonly view: View
  readonly now: number
}): ReactNode {
  const { facts, overview } = picture
  return (
    <Box flexDirection="column" height={2}>
      <Line
        of={spaced([
          [{ text: 'deflector', tone: 'strong' }],
          [{ text: shortened(address, 40) }],
          connection(picture, now),
          ...(facts ? [fact('up', since(facts.uptime_secs)), fact('generation', `${facts.generation}`)] : []),
          ...(overview ? [[{ text: `v${shortened(overview.version, 20)}`, tone: 'dim' } as const]] : []),
          ...(overview?.offline_mode ? [[{ text: '! offline_mode', tone: 'warn' } as const]] : []),
        ])}
      />
      <Line
        of={spaced(
          TABS.map((tab, at) => [
            tab === view.tab
              ? { text: `[${at + 1} ${tab}]`, tone: 'strong' as const }
              : { text: ` ${at + 1} ${tab} `, tone: 'dim' as const },
          ]),
        )}
      />
    </Box>
  )
}

function connection({ connection, following }: Picture, now: number): Piece[] {
  switch (connection.state) {
    case 'connecting':
      return [{ text: '○ connecting', tone: 'dim' }]
    case 'lost': {
      const secs = Math.max(0, Math.round((now - connection.since) / 1000))
      return [{ text: `✗ lost ${secs} s ago, connecting again: ${shortened(connection.why, 80)}`, tone: 'bad' }]
    }
    case 'connected':
      return following ? [{ text: '● connected', tone: 'good' }] : [{ text: '◌ connected, no feed yet', tone: 'warn' }]
  }
}

/** Lines that the summary takes. */
export const summaryHeight = ({ overview }: Picture): number => (overview?.quota_warnings.length ? 3 : 2)

/** Requests, savings and the process in a few figures. */
export function Summary({ picture, width }: { readonly picture: Picture; readonly width: number }): ReactNode {
  const { prompts, overview, facts } = picture
  const { total_prompts: total = 0, total_deflected_prompts: deflected = 0 } = prompts ?? {}
  const second = spaced([
    ...(overview
      ? [fact('cached', `${count(overview.l1a_entries)} exact, ${count(overview.l1b_entries)} similar`)]
      : []),
    ...(facts ? [fact('memory', mebibytes(facts.memory_bytes))] : []),
    ...(facts?.loop_delay_ms ? [fact('loop p99', duration(facts.loop_delay_ms.p99))] : []),
  ])
  const room = width - second.reduce((sum, { text }) => sum + columnsOf(text), 0) - BARS_NAME.length - 3
  const chart = bars(steps(picture), Math.min(60, room))
  const [warning, ...others] = overview?.quota_warnings ?? []
  return (
    <Box flexDirection="column" height={summaryHeight(picture)}>
      <Line
        of={spaced([
          fact('requests', prompts ? count(total) : '-'),
          fact('now', `${rate(rateOf(picture, sample => sample.total))}/s`),
          fact('deflected', prompts ? `${count(deflected)} (${share(deflected, total)})` : '-'),
          ...(overview
            ? [
                [
                  { text: 'saved ', tone: 'dim' as const },
                  { text: usd(overview.estimated_saved_cost_usd), tone: 'good' as const },
                ],
                fact('spent', usd(overview.estimated_cost_usd)),
              ]
            : []),
        ])}
      />
      <Line of={room > 8 && chart !== '' ? [...second, GAP, ...fact(BARS_NAME, chart)] : second} />
      {warning !== undefined && (
        <Line
          of={[
            {
              text: `! quota: ${shortened(warning, width - 30)}${others.length > 0 ? ` (and ${others.length} more)` : ''}`,
              tone: 'warn',
            },
          ]}
        />
      )}
    </Box>
  )
}

const BARS_NAME = 'trend'

const HINTS = [
  ['j k', 'move'],
  ['Enter', 'story'],
  ['/', 'filter'],
  ['s r', 'sort'],
  ['1-6', 'tabs'],
  ['?', 'help'],
  ['q', 'quit'],
] as const

/** The keys, or the filter. */
export function Footer({ view, missed }: { readonly view: View; readonly missed: number }): ReactNode {
  if (view.typing)
    return (
      <Line
        of={[{ text: `/${view.filter}█`, tone: 'strong' }, GAP, { text: 'Enter keeps it, Esc drops it', tone: 'dim' }]}
      />
    )
  const keys = HINTS.map(([key, what]): Piece[] => [
    { text: key, tone: 'strong' },
    { text: ` ${what}`, tone: 'dim' },
  ])
  const filtered = view.filter !== '' && takesFilter(view.tab)
  const filter: Piece[][] = filtered ? [[{ text: `filter: ${view.filter}`, tone: 'warn' }]] : []
  const left: Piece[][] = missed === 0 ? [] : [[{ text: `${count(missed)} too fast to show`, tone: 'dim' }]]
  return <Line of={spaced([...filter, ...keys, ...left])} />
}

const HELP: readonly (readonly [keys: string, what: string])[] = [
  ['1 2 3 4 5 6, Tab', 'another tab'],
  ['j k, arrows', 'one row down or up'],
  ['Ctrl-d Ctrl-u, page keys', 'one page down or up'],
  ['g G, Home End', 'first or last row; on the first row the feed moves on'],
  ['Enter', 'the story of a request: each layer, its time and outcome, and vendor calls'],
  ['/', 'filter by words: key, tag, client, tool, model, layer, status, provider, error, id'],
  ['s', 'sort by the next column'],
  ['r', 'turn the order around'],
  ['b', 'on the tab Usage: by gateway key, model or tag'],
  ['Esc', 'close, or drop the filter'],
  ['q, Ctrl-c', 'quit'],
  ['Ctrl-z', 'back to the shell; fg goes on'],
  ['', ''],
  ['ends/s', 'requests in a second that ended at this layer, of the last 10 seconds'],
  [
    'asked, hits, p50, p99',
    'of the last 1,000 requests: how often the layer was asked, answered, and how long it took',
  ],
  ['TTFT, whole', 'moving averages: time to the first token of a stream, and of whole answers'],
  ['saved, spent', 'in USD, of the window of usage summaries (usage_window_hours)'],
]

export const helpHeight = HELP.length

export function Help(): ReactNode {
  return (
    <Box flexDirection="column">
      {HELP.map(([keys, what]) => (
        <Line key={keys} of={[{ text: `  ${keys.padEnd(26)}`, tone: 'strong' }, { text: what }]} />
      ))}
    </Box>
  )
}
