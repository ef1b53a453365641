import type { Cell, Column } from './columns.ts'
import { count, duration, localTime, rate, remaining, share, usd } from './figures.ts'
import { type Picture, rateOf } from './picture.ts'
import type { Agents, Layer, LiveRequest, Provider } from './source.ts'

/** The tables of the screen: what their columns say, and by what they can be sorted. */

export const layerColumns = (picture: Picture): readonly Column<Layer>[] => {
  const perSecond = ({ label }: Layer) => rateOf(picture, ({ byLayer }) => byLayer[label] ?? 0)
  return [
    { title: 'LAYER', width: 5, cell: ({ label }) => ({ text: label, tone: 'strong' }) },
    { title: '', width: 14, grows: 32, cell: ({ name }) => name },
    {
      title: 'ends/s',
      width: 7,
      right: true,
      cell: layer => rate(perSecond(layer)),
      sort: layer => perSecond(layer) ?? 0,
    },
    { title: 'asked', width: 7, right: true, cell: ({ asked }) => count(asked), sort: ({ asked }) => asked },
    { title: 'answered', width: 9, right: true, from: 70, cell: ({ answered }) => count(answered) },
    {
      title: 'hits',
      width: 7,
      right: true,
      cell: ({ answered, asked }) => share(answered, asked),
      sort: ({ answered, asked }) => (asked === 0 ? 0 : answered / asked),
    },
    { title: 'p50', width: 8, right: true, cell: ({ p50_ms }) => duration(p50_ms), sort: ({ p50_ms }) => p50_ms },
    { title: 'p99', width: 8, right: true, cell: ({ p99_ms }) => duration(p99_ms), sort: ({ p99_ms }) => p99_ms },
  ]
}

const STATES: Readonly<Record<string, Cell>> = {
  healthy: { text: '● healthy', tone: 'good' },
  failing: { text: '✗ failing', tone: 'bad' },
}

/** Keys that wait after a refusal, or the circuit that keeps a failing provider last. */
function cooling({ keys, circuit }: Provider, now: number): Cell {
  const until = keys.flatMap(({ cooldown_until }) => (cooldown_until === null ? [] : [Date.parse(cooldown_until)]))
  const waiting = until.filter(at => at > now)
  if (waiting.length > 0) {
    const left = remaining(Math.min(...waiting) - now)
    return { text: `${waiting.length}/${keys.length} keys ${left}`, tone: 'warn' }
  }
  return circuit === 'closed' ? { text: '-', tone: 'dim' } : { text: `circuit ${circuit}`, tone: 'warn' }
}

export const providerColumns = (now: number): readonly Column<Provider>[] => [
  {
    title: 'PROVIDER',
    width: 14,
    grows: 32,
    cell: ({ name, active }) => ({ text: active ? `${name} *` : name, tone: 'strong' }),
    sort: ({ name }) => name,
  },
  {
    title: 'health',
    width: 9,
    cell: ({ status }) => STATES[status] ?? { text: `○ ${status}`, tone: 'dim' },
    sort: ({ status }) => status,
  },
  { title: 'model', width: 12, grows: 40, from: 90, cell: ({ model }) => model ?? '-' },
  {
    title: 'TTFT',
    width: 7,
    right: true,
    cell: ({ first_token_ms }) => duration(first_token_ms),
    sort: ({ first_token_ms }) => first_token_ms ?? 0,
  },
  {
    title: 'whole',
    width: 7,
    right: true,
    cell: ({ latency_ms }) => duration(latency_ms),
    sort: ({ latency_ms }) => latency_ms ?? 0,
  },
  {
    title: 'calls',
    width: 6,
    right: true,
    cell: ({ requests_total }) => count(requests_total),
    sort: ({ requests_total }) => requests_total,
  },
  {
    title: 'errors',
    width: 6,
    right: true,
    cell: ({ errors_total }) => (errors_total > 0 ? { text: count(errors_total), tone: 'bad' } : '0'),
    sort: ({ errors_total }) => errors_total,
  },
  { title: 'cooldown', width: 15, cell: provider => cooling(provider, now) },
]

/** A tool or a client, and its share of all requests. */
export interface Caller {
  readonly name: string
  readonly requests: number
  readonly all: number
  readonly agent?: Agents[string] | undefined
}

export const callersOf = (counts: Readonly<Record<string, number>>, all: number, agents: Agents = {}): Caller[] =>
  Object.entries(counts)
    .map(([name, requests]) => ({ name, requests, all, agent: agents[name] }))
    .sort((a, b) => b.requests - a.requests)

const CALLER: readonly Column<Caller>[] = [
  { title: 'requests', width: 9, right: true, cell: one => count(one.requests), sort: one => one.requests },
  { title: 'share', width: 7, right: true, cell: one => share(one.requests, one.all) },
]
const named = (title: string): Column<Caller> => ({
  title,
  width: 14,
  grows: 32,
  cell: one => ({ text: one.name, tone: 'strong' }),
  sort: one => one.name,
})

export const clientColumns: readonly Column<Caller>[] = [named('CLIENT'), ...CALLER]

const agentColumn = (
  title: string,
  width: number,
  figure: (agent: Agents[string]) => number,
  text: (agent: Agents[string]) => string = agent => count(figure(agent)),
): Column<Caller> => ({
  title,
  width,
  right: true,
  cell: ({ agent }) => (agent ? text(agent) : '-'),
  sort: ({ agent }) => (agent ? figure(agent) : 0),
})

export const toolColumns: readonly Column<Caller>[] = [
  named('TOOL'),
  ...CALLER,
  agentColumn(
    'hits',
    7,
    ({ cache_hits, cache_misses }) => cache_hits / Math.max(1, cache_hits + cache_misses),
    ({ cache_hits, cache_misses }) => share(cache_hits, cache_hits + cache_misses),
  ),
  agentColumn(
    'average',
    8,
    ({ average_latency_ms }) => average_latency_ms,
    ({ average_latency_ms }) => duration(average_latency_ms),
  ),
  agentColumn('retries', 7, ({ retry_count }) => retry_count),
  agentColumn('errors', 6, ({ error_count }) => error_count),
]

const DEFLECTING: ReadonlySet<string> = new Set(['l1a', 'l1b', 'l2'])

function outcome({ error, provider, saved, layer }: LiveRequest): Cell {
  if (error !== null) return { text: `✗ ${error}`, tone: 'bad' }
  if (provider !== null) return `→ ${provider}`
  if (saved > 0) return { text: `✓ saved ${count(saved)} tok`, tone: 'good' }
  return DEFLECTING.has(layer) ? { text: '✓ saved', tone: 'good' } : { text: '-', tone: 'dim' }
}

/** Nothing where no vendor was asked. */
function costText({ cost_usd, provider }: LiveRequest): string {
  return cost_usd === null && provider === null ? '-' : usd(cost_usd)
}

const TAGS: Column<LiveRequest> = {
  title: 'tags',
  width: 16,
  grows: 32,
  from: 126,
  cell: ({ tags }) => tags.join(', '),
  sort: ({ tags }) => tags.join(', '),
}

/** Tags have a column where a request has some; then the id needs a wider terminal. */
export function requestColumns(feed: readonly LiveRequest[]): readonly Column<LiveRequest>[] {
  const tagged = feed.some(({ tags }) => tags.length > 0)
  return [
    {
      title: 'TIME',
      width: 8,
      cell: ({ time }) => localTime(Date.parse(time)),
      sort: ({ time }) => Date.parse(time),
    },
    { title: 'layer', width: 5, cell: ({ layer }) => ({ text: layer, tone: 'strong' }), sort: ({ layer }) => layer },
    {
      title: 'code',
      width: 5,
      cell: ({ status }) => ({ text: `${status}`, tone: status < 400 ? 'dim' : 'bad' }),
      sort: ({ status }) => status,
    },
    { title: 'took', width: 8, right: true, cell: ({ ms }) => duration(ms), sort: ({ ms }) => ms },
    {
      title: 'cost',
      width: 9,
      right: true,
      from: WITH_KEY,
      cell: costText,
      sort: ({ cost_usd }) => cost_usd ?? 0,
    },
    { title: 'key', width: 10, from: WITH_KEY, cell: ({ key }) => key ?? '-', sort: ({ key }) => key ?? '' },
    { title: 'client', width: 11, cell: ({ client }) => client, sort: ({ client }) => client },
    { title: 'tool', width: 11, from: 96, cell: ({ tool }) => tool, sort: ({ tool }) => tool },
    ...(tagged ? [TAGS] : []),
    { title: 'model', width: 12, grows: 48, cell: ({ model }) => model ?? '-', sort: ({ model }) => model ?? '' },
    { title: 'outcome', width: 20, cell: outcome, sort: ({ error, provider }) => error ?? provider ?? '' },
    { title: 'request', width: 36, from: tagged ? 164 : 150, cell: ({ id }) => ({ text: id, tone: 'dim' }) },
  ]
}
const WITH_KEY = 109

/** Of a request's id; a shorter word stands in many ids by chance. */
const LEAST_OF_ID = 8

/** Does each word of the filter stand somewhere in what is known of the request? */
export function holds({ id, ...request }: LiveRequest, filter: string): boolean {
  const { layer, status, client, tool, key, tags, model, provider, error } = request
  const facts = [layer, status, client, tool, key, ...tags, model, provider, error].join(' ').toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every(word => facts.includes(word) || (word.length >= LEAST_OF_ID && id.toLowerCase().includes(word)))
}
