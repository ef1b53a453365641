import type { Call, Format, Log, Plugin, Route, RouteOptions, Status, SurfaceHost } from 'deflector'
import { systemClock } from '../../core/clock.ts'
import { Keep } from '../../core/keep.ts'
import { Routing } from '../../core/routing.ts'
import http from '../../surfaces/http/index.ts'

/** A generation in small: surfaces applied to a host that keeps only what the listener needs. */
export interface Small {
  start(): Promise<void>
  ready(): void
  dispose(): Promise<void>
}

export interface Logged {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown> | undefined
}

export interface Parts {
  /** Routes beside those of the surfaces. */
  readonly routes?: readonly Route[]
  readonly dialects?: Readonly<Record<string, Pick<Format, 'encodeError'>>>
  readonly surfaces?: readonly { readonly plugin: Plugin; readonly options?: Record<string, unknown> }[]
  /** Options of the http surface. */
  readonly options?: Record<string, unknown>
  readonly keep?: Keep
  readonly log?: Logged[]
  readonly status?: () => Partial<Status>
  readonly host?: Partial<Pick<SurfaceHost, 'serve' | 'admit' | 'handle' | 'put' | 'provider'>>
}

const away = async (): Promise<never> => {
  throw new Error('this test has no flow')
}

export function small({ routes = [], dialects = {}, surfaces = [], options = {}, ...parts }: Parts): Small {
  const keep = parts.keep ?? new Keep()
  const routing = new Routing()
  routing.routes.push(...routes)
  for (const [prefix, format] of Object.entries(dialects)) routing.claim(prefix, format)
  const starts: (() => void | Promise<void>)[] = []
  const readies: (() => void)[] = []
  const disposes: (() => void | Promise<void>)[] = []
  const holder = {}
  const line =
    (level: string): Log['info'] =>
    (message, fields) =>
      void parts.log?.push({ level, message, fields })
  const log: Log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  const host = (name: string): SurfaceHost => ({
    name,
    log,
    clock: systemClock,
    gateway: 'this-gateway',
    keep: (id, create, dispose) => keep.hold(holder, id, create, dispose),
    onStart: run => void starts.push(run),
    onReady: run => void readies.push(run),
    onDispose: run => void disposes.push(run),
    report: () => {},
    route: (method, path, handle, options?: RouteOptions) =>
      void routing.routes.push({ method, path, handle: async call => handle(call), by: name, ...options }),
    dialect: (prefix, format) => routing.claim(prefix, format),
    routes: surfaces => (surfaces ? routing.only(surfaces) : routing.all()),
    serve: away,
    admit: away,
    handle: away,
    put: away,
    provider: () => ({}),
    caches: () => new Map(),
    ...parts.host,
    status: () => ({
      layers: {},
      pipeline: 'test.yaml',
      generation: 1,
      ready: true,
      startedAt: 0,
      ...parts.status?.(),
    }),
  })
  for (const surface of [...surfaces, { plugin: http, options: { host: '127.0.0.1', port: 0, ...options } }]) {
    const parsed = surface.plugin.options.parse(surface.options ?? {})
    surface.plugin.apply(host(surface.plugin.name) as never, parsed as never)
  }
  return {
    async start() {
      for (const run of starts) await run()
    },
    ready() {
      for (const run of readies) run()
    },
    async dispose() {
      for (const run of disposes.toReversed()) await run()
      await keep.release(holder)
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
  const { port } = addressIn(keep)
  return { url: `http://127.0.0.1:${port}`, port, keep, log, dispose: () => generation.dispose() }
}

export function addressIn(keep: Pick<Keep, 'get'>): { readonly host: string; readonly port: number } {
  const kept = keep.get('listener:http')
  if (typeof kept !== 'object' || kept === null || !('address' in kept) || typeof kept.address !== 'function') {
    throw new Error('the http surface keeps no listener')
  }
  return kept.address()
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
