import { Box } from 'ink'
import type { ReactNode } from 'react'
import { count, localTime } from './figures.ts'
import { Help, helpHeight, Summary, summaryHeight } from './frame.tsx'
import { Line, Table } from './lines.tsx'
import { inName, type Main, mainOf, nameOf } from './main-table.ts'
import type { Picture } from './picture.ts'
import type { LiveRequest, Provider } from './source.ts'
import {
  type Caller,
  callersOf,
  clientColumns,
  holds,
  layerColumns,
  providerColumns,
  requestColumns,
  toolColumns,
} from './tables.ts'
import { shortened } from './terminal-text.ts'
import { Usage, type UsageFound, usageTable } from './usage-tab.tsx'
import type { Rows, Tab, View } from './view.ts'

/** What a tab is drawn from. */
export interface Shown {
  readonly picture: Picture
  readonly view: View
  /** Of the tab Usage, while it is looked at. */
  readonly usage: UsageFound
  readonly width: number
  /** Lines between the header and the footer. */
  readonly height: number
  readonly now: number
}

/** Columns from which on clients and tools have a table each, and layers and providers stand beside each other. */
const TWO_TABLES = 100
const SIDE_BY_SIDE = 150
/** Lines from which on parts are kept apart. */
const AIRY = 30
/** Lines of the overview, where there is room. */
const MOST_LAYERS = 9
const MOST_PROVIDERS = 7
const MOST_CLIENTS = 7
const LEAST_FEED = 5

const idOf = ({ id }: LiveRequest): string => id

const requests = ({ picture, view }: Shown) => mainOf(requestColumns(picture.feed), picture.feed, idOf, holds, view)
const layers = ({ picture, view }: Shown) =>
  mainOf(layerColumns(picture), picture.layers, nameOf, inName, { ...view, filter: '' })
const providers = ({ picture, view, now }: Shown) =>
  mainOf(providerColumns(now), picture.providers, nameOf, inName, view)
const tools = ({ picture, view }: Shown) => mainOf(toolColumns, toolsOf(picture), nameOf, inName, view)

const toolsOf = ({ prompts, agents }: Picture): Caller[] =>
  callersOf(prompts?.by_tool ?? {}, prompts?.total_prompts ?? 0, agents)
const clientsOf = ({ prompts }: Picture): Caller[] => callersOf(prompts?.by_client ?? {}, prompts?.total_prompts ?? 0)

/** What keys move in on this tab. */
export function rowsOf(shown: Shown, lastTop: number): Rows {
  const of = <Row,>({ columns, rows, keyOf }: Main<Row>, stories: boolean): Rows => ({
    keys: rows.map(keyOf),
    sorts: ['', ...columns.flatMap(({ title, sort }) => (sort ? [title] : []))],
    page: Math.max(1, shown.height - 2),
    stories,
    lastTop,
  })
  switch (shown.view.tab) {
    case 'Overview':
    case 'Requests':
      return of(requests(shown), true)
    case 'Layers':
      return of(layers(shown), false)
    case 'Providers':
      return of(providers(shown), false)
    case 'Clients':
      return of(tools(shown), false)
    case 'Usage':
      return of(usageTable(shown), false)
  }
}

const NO_REQUESTS = 'no request yet'
const NO_MATCH = 'nothing matches the filter; Esc drops it'
const emptyText = ({ filter }: View, otherwise: string): string => (filter === '' ? otherwise : NO_MATCH)

/** The body of a tab. */
export function Body(shown: Shown): ReactNode {
  return BODIES[shown.view.tab](shown)
}

const BODIES: Readonly<Record<Tab, (shown: Shown) => ReactNode>> = {
  Overview: shown => <Overview {...shown} />,
  Requests: shown => (
    <Table {...requests(shown)} width={shown.width} height={shown.height} empty={emptyText(shown.view, NO_REQUESTS)} />
  ),
  Layers: shown => (
    <>
      <Table {...layers(shown)} width={shown.width} height={shown.height - 1} empty={NO_REQUESTS} />
      <Line of={[{ text: 'ends/s of the last 10 seconds, all else of the last 1,000 requests', tone: 'dim' }]} />
    </>
  ),
  Providers: shown => <Providers {...shown} />,
  Clients: shown => <Clients {...shown} />,
  Usage: shown => <Usage {...shown} noMatch={NO_MATCH} />,
}

/** Lines of a table with so many rows, its head included. */
const linesOf = (rows: readonly unknown[]): number => 1 + Math.max(1, rows.length)

/** Layers, providers and clients; below them the feed, which has what is left. Each part is as high as it needs to be. */
function Overview(shown: Shown): ReactNode {
  const { picture, view, width, height } = shown
  const clients = clientsOf(picture)
  const beside = width >= SIDE_BY_SIDE
  const airy = height >= AIRY
  const gap = airy ? 1 : 0
  const tables = airy && width >= TWO_TABLES
  const forClients = tables ? Math.min(Math.max(linesOf(clients), linesOf(toolsOf(picture))), MOST_CLIENTS) : 1
  const left = height - summaryHeight(picture) - forClients - LEAST_FEED - 4 * gap
  const wanted = { layers: linesOf(picture.layers), providers: linesOf(picture.providers) }
  const forLayers = Math.max(2, Math.min(wanted.layers, MOST_LAYERS, beside ? left : left - 2))
  const forProviders = Math.max(2, Math.min(wanted.providers, MOST_PROVIDERS, beside ? left : left - forLayers))
  const upper = beside ? Math.max(forLayers, forProviders) : forLayers + gap + forProviders
  const feed = Math.max(2, height - summaryHeight(picture) - forClients - upper - 3 * gap)
  return (
    <>
      <Summary picture={picture} width={width} />
      {!tables && <Line of={clientLine(clients, width)} />}
      <Box marginTop={gap} height={upper} flexDirection={beside ? 'row' : 'column'} columnGap={2} rowGap={gap}>
        <Layers {...shown} width={beside ? Math.floor(width / 2) - 1 : width} height={forLayers} />
        <Chain {...shown} width={beside ? Math.ceil(width / 2) - 1 : width} height={forProviders} />
      </Box>
      {tables && <Callers {...shown} height={forClients} />}
      <Box marginTop={gap} height={feed}>
        <Table {...requests(shown)} width={width} height={feed} empty={emptyText(view, NO_REQUESTS)} />
      </Box>
    </>
  )
}

const Layers = ({ picture, width, height }: Shown): ReactNode => (
  <Table
    columns={layerColumns(picture)}
    rows={picture.layers}
    keyOf={nameOf}
    width={width}
    height={height}
    empty={NO_REQUESTS}
  />
)

const Chain = ({ picture, width, height, now }: Shown): ReactNode => (
  <Table
    columns={providerColumns(now)}
    rows={picture.providers}
    keyOf={nameOf}
    width={width}
    height={height}
    empty="no provider"
  />
)

/** Clients beside tools. */
function Callers({ picture, width, height }: Shown): ReactNode {
  const left = Math.floor(width >= SIDE_BY_SIDE ? width / 2 : width / 3) - 1
  const common = { keyOf: nameOf, height, empty: NO_REQUESTS }
  return (
    <Box marginTop={1} height={height} columnGap={2}>
      <Table {...common} columns={clientColumns} rows={clientsOf(picture)} width={left} />
      <Table {...common} columns={toolColumns} rows={toolsOf(picture)} width={width - left - 2} />
    </Box>
  )
}

function clientLine(clients: readonly Caller[], width: number) {
  const text = clients.map(({ name, requests }) => `${name} ${count(requests)}`).join(', ')
  return [{ text: 'clients ', tone: 'dim' as const }, { text: shortened(text === '' ? '-' : text, width - 9) }]
}

/** The table, and below it all of the provider at the cursor. */
function Providers(shown: Shown): ReactNode {
  const main = providers(shown)
  const chosen = main.rows[main.cursor]
  const details = chosen ? detailsOf(chosen, shown.now) : []
  const most = Math.floor(shown.height / 2)
  const below = Math.min(details.length, most)
  const height = Math.min(shown.height - below - 1, Math.max(2, main.rows.length + 1))
  return (
    <>
      <Table {...main} width={shown.width} height={height} empty={emptyText(shown.view, 'no provider')} />
      <Box flexDirection="column" marginTop={1} height={below} overflow="hidden">
        {details.map(([name, value]) => (
          <Line
            key={name}
            of={[{ text: `${name.padEnd(14)} `, tone: 'dim' }, { text: shortened(value, shown.width - 15) }]}
          />
        ))}
      </Box>
    </>
  )
}

const detailsOf = (one: Provider, now: number): (readonly [name: string, value: string])[] => [
  ['provider', one.name],
  ['endpoint', one.endpoint ?? '-'],
  ['model', one.model ?? '-'],
  ['circuit', one.circuit],
  ['last error', lastError(one, now)],
  ...one.keys.map(
    ({ masked_key, label, status, requests_total, rate_limit_total, cooldown_until }, at) =>
      [
        `key ${at + 1}`,
        [
          label === null ? masked_key : `${masked_key} (${label})`,
          `${status.replaceAll('_', ' ')}${cooldown_until === null ? '' : ` ${coolingUntil(cooldown_until, now)}`}`,
          `${count(requests_total)} calls`,
          `${count(rate_limit_total)} rate limits`,
        ].join(', '),
      ] as const,
  ),
]

const lastError = ({ last_error, last_error_message }: Provider, now: number): string =>
  last_error === null ? '-' : `${localTime(Date.parse(last_error), now)} ${last_error_message ?? ''}`

function coolingUntil(until: string, now: number): string {
  const at = Date.parse(until)
  return `until ${localTime(at, now)} (${count(Math.max(0, Math.ceil((at - now) / 1000)))} s left)`
}

function Clients(shown: Shown): ReactNode {
  const { picture, view, width, height } = shown
  const clients = clientsOf(picture)
  const above = Math.min(1 + Math.max(1, clients.length), Math.floor(height / 2))
  return (
    <>
      <Table {...tools(shown)} width={width} height={height - above - 1} empty={emptyText(view, NO_REQUESTS)} />
      <Box marginTop={1} height={above}>
        <Table
          columns={clientColumns}
          rows={clients}
          keyOf={nameOf}
          width={Math.min(width, 60)}
          height={above}
          empty={NO_REQUESTS}
        />
      </Box>
    </>
  )
}

/** Lines of a story, or of the help, from one on. */
export function Story({
  lines,
  top,
  height,
}: {
  readonly lines: readonly string[]
  readonly top: number
  readonly height: number
}): ReactNode {
  const shown = lines.slice(top, top + height)
  const numbered = shown.map((text, at) => ({ text, line: top + at }))
  return (
    <Box flexDirection="column" height={height} overflow="hidden">
      {numbered.map(({ text, line }) => (
        <Line key={line} of={[line < 2 ? { text, tone: 'strong' } : { text: text === '' ? ' ' : text }]} />
      ))}
    </Box>
  )
}

export function HelpBody({ height }: { readonly height: number }): ReactNode {
  return (
    <Box flexDirection="column" height={height} overflow="hidden" paddingTop={height > helpHeight + 1 ? 1 : 0}>
      <Help />
    </Box>
  )
}
