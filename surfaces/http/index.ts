import { defineSurface } from 'deflector'
import { listener as bound } from 'deflector/facets/listener'
import { z } from 'zod'
import { BrowserCheck } from './browser-check.ts'
import type { CallLimits } from './call.ts'
import { type Dispatch, dispatcher } from './dispatcher.ts'
import { Listener } from './listener.ts'
import { signpost } from './signpost.ts'

/** How long the last bytes may take when the gateway goes down, in milliseconds; calls were waited for before. */
const LAST_BYTES = 1_000

export default defineSurface({
  name: 'http',
  summary: 'listens on a port and takes calls to the routes of all surfaces',
  options: z.strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('address to bind; 0.0.0.0 is every IPv4 address of the machine'),
    port: z.number().int().min(0).max(65_535).default(8080).describe('TCP port; 0 takes a free one'),
    key: z.string().nullish().describe('The gateway key. Without any key the `Host` of every request is checked.'),
    keys: z
      .array(z.looseObject({ key: z.string() }))
      .nullish()
      .describe('Further gateway keys.'),
    cors_origins: z
      .array(z.string().min(1))
      .default([])
      .describe('origins whose web pages may ask and read the answers; `*` is every page'),
    allowed_hosts: z
      .array(z.string().min(1))
      .default([])
      .describe('names that are served without a gateway key, besides addresses and names of private networks'),
    max_body_bytes: z
      .number()
      .int()
      .positive()
      .default(32 << 20)
      .describe('largest request body, also after decompression'),
    keep_alive_secs: z.number().positive().default(10).describe('silence after which a stream gets a keep-alive'),
    head_wait_secs: z.number().positive().default(10).describe("longest wait of a stream's head for its first event"),
    request_timeout_secs: z
      .number()
      .min(0)
      .default(300)
      .describe('a request, body included, has to be in by then; 0 waits for ever'),
  }),
  apply(host, options) {
    const { host: address, port } = options
    const requestMs = options.request_timeout_secs * 1000
    const limits: CallLimits = {
      maxBodyBytes: options.max_body_bytes,
      headWaitMs: options.head_wait_secs * 1000,
      keepAliveMs: options.keep_alive_secs * 1000,
    }
    const listener = host.keep(
      `http:${address}:${port}`,
      () => new Listener({ host: address, port }, { requestMs, id: () => host.clock.id() }),
      kept => kept.close(LAST_BYTES),
    )
    const browsers = new BrowserCheck({
      bound: address,
      corsOrigins: options.cors_origins,
      allowedHosts: options.allowed_hosts,
      keyed: Boolean(options.key) || (options.keys ?? []).length > 0,
    })
    // Which socket is this surface's now: a reload may have moved it to another port.
    const current = host.keep(`http:${host.name}`, (): { listener?: Listener } => ({}))
    host.offer(bound, () => current.listener?.address())
    let dispatch: Dispatch | undefined

    // Command line clients look whether anybody is at home before they begin.
    for (const path of ['/', '/api/hello']) host.route('HEAD', path, call => call.send(200, {}))

    /** For a person who opens the address in a browser, unless another surface has a page of its own there. */
    const offerSignpost = (): void => {
      const { routes } = host.routes()
      if (routes.some(({ method, path }) => method === 'GET' && path === '/')) return
      const headers = { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }
      host.route('GET', '/', call => call.send(200, headers, signpost(routes)))
    }

    host.onStart(async () => {
      offerSignpost()
      dispatch = dispatcher({
        table: host.routes(),
        limits,
        browsers,
        log: host.log,
        clock: host.clock,
        gateway: host.gateway,
        ready: () => host.status().ready,
      })
      await listener.listen()
    })
    host.onReady(() => {
      if (!dispatch) return
      listener.dispatch = dispatch
      const before = current.listener
      current.listener = listener
      if (before === listener) return
      void before?.retire()
      host.log.info('listening', { ...listener.address() })
    })
    host.onDispose(async () => {
      // Another generation's dispatch there means that this one was replaced, and the socket goes on.
      if (dispatch && listener.dispatch === dispatch) await listener.close(LAST_BYTES)
    })
  },
})
