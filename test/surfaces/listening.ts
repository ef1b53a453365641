import type { Call, ErrorDialect, Log, Plugin, Provider, Route, RouteOptions, Status } from 'deflector'
import { listener } from 'deflector/facets/listener'
import { systemClock } from '../../core/clock.ts'
import { FacetTable } from '../../core/facets.ts'
import { Flow } from '../../core/flow.ts'
import { hostLog } from '../../core/host-log.ts'
import { hostOf, type Life, type Wiring } from '../../core/hosts.ts'
import { Keep } from '../../core/keep.ts'
import { Routing } from '../../core/routing.ts'
import { Taps } from '../../core/taps.ts'
import http from '../../surfaces/http/index.ts'

/** A generation in small: surfaces applied to the gateway's own hosts, around a flow without layers. */
export interface Small {
  start(): Promise<void>
  ready(): void
  dispose(): Promise<void>
  address(): { readonly host: string; readonly port: number }
}

interface Logged {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown> | undefined
}

export interface Parts {
  /** Routes beside those of the surfaces. */
  readonly routes?: readonly Route[]
  readonly dialects?: Readonly<Record<string, ErrorDialect>>
  readonly surfaces?: readonly { readonly plugin: Plugin; readonly options?: Record<string, unknown> }[]
  /** Options of the http surface. */
  readonly options?: Record<string, unknown>
  readonly keep?: Keep
  readonly log?: Logged[]
  readonly status?: () => Partial<Status>
  readonly providers?: Readonly<Record<string, Pick<Provider, 'model'>>>
  /** What layers offer, for surfaces that look for it. */
  readonly offers?: (facets: FacetTable) => void
}

export function small({ routes = [], dialects = {}, surfaces = [], options = {}, ...parts }: Parts): Small {
  const { keep = new Keep(), providers = {} } = parts
  const routing = new Routing()
  const facets = new FacetTable({ table: undefined })
  const line =
    (level: string): Log['info'] =>
    (message, fields) =>
      void parts.log?.push({ level, message, fields })
  const raw: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const log = hostLog(raw, systemClock)
  const wiring: Wiring = {
    around: { log, clock: systemClock, keep, gateway: 'this-gateway' },
    flows: new Map([['test', new Flow('test', log)]]),
    routing,
    facets,
    closing: false,
    repliesKept: undefined,
    ask: (_, name) => providers[name] ?? {},
    fileOf: () => undefined,
    routesOf: surfaces => routing.only(surfaces),
    status: () => ({
      layers: new Map(),
      pipeline: 'test.yaml',
      generation: 1,
      ready: true,
      startedAt: 0,
      ...parts.status?.(),
    }),
    track: () => {},
    onCut: () => () => {},
  }
  const lives: Life[] = []
  const apply = (plugin: Plugin, given: Record<string, unknown>): void => {
    const { name } = plugin
    const instance = {
      role: 'surface',
      name,
      plugin,
      options: given,
      flow: 'test',
      at: { line: 1, column: 1 },
    } as const
    const { host, life } = hostOf(instance, wiring, new Taps({ name, label: name, deflects: false, observes: true }))
    plugin.apply(host as never, plugin.options.parse(given) as never)
    lives.push(life)
  }
  for (const one of routes)
    routing.offer(
      { ...one, handle: async call => one.handle(call) },
      { role: 'surface', name: 'test', plugin: http, options: {}, at: { line: 1, column: 1 } },
    )
  for (const [prefix, format] of Object.entries(dialects)) routing.claim(prefix, format)
  parts.offers?.(facets)
  for (const { plugin, options: given = {} } of surfaces) apply(plugin, given)
  apply(http, { host: '127.0.0.1', port: 0, ...options })
  return {
    async start() {
      for (const { starts } of lives) for (const run of starts) await run()
    },
    ready() {
      facets.serve()
      for (const { readies } of lives) for (const run of readies) run()
    },
    async dispose() {
      for (const { disposes } of lives.toReversed()) for (const run of disposes.toReversed()) await run()
      await keep.release(wiring)
    },
    address() {
      const [bound] = [...facets.offers(listener).values()].flatMap(address => address() ?? [])
      if (bound?.port === undefined) throw new Error('the http surface does not listen')
      return bound
    },
  }
}

export interface Listening {
  readonly url: string
  readonly port: number
  readonly keep: Keep
  readonly log: Logged[]
  dispose(): Promise<void>
}

/** A listening gateway without flows. */
export async function listening(parts: Parts): Promise<Listening> {
  const keep = parts.keep ?? new Keep()
  const log = parts.log ?? []
  const generation = small({ ...parts, keep, log })
  await generation.start()
  generation.ready()
  const { port } = generation.address()
  return { url: `http://127.0.0.1:${port}`, port, keep, log, dispose: () => generation.dispose() }
}

/** A route that replies 200 with what `body` gives. */
export const route = (
  method: string,
  path: string,
  handle: (call: Call) => Promise<void> | void,
  more: RouteOptions = {},
): Route => ({
  method,
  path,
  handle,
  by: 'test',
  ...more,
})

export const text = (call: Call, body: string, status = 200): void =>
  call.send(status, { 'content-type': 'text/plain' }, body)
