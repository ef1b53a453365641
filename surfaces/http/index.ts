import { defineSurface } from 'deflector'
import { z } from 'zod'
import { BrowserCheck } from './browser-check.ts'
import { listen } from './listen.ts'
import { offerSignpost } from './signpost.ts'

export default defineSurface({
  name: 'http',
  summary: 'listens on a port and takes calls to the routes of surfaces',
  options: z.strictObject({
    host: z
      .string()
      .min(1)
      .default('127.0.0.1')
      .describe('address to bind; 0.0.0.0 is every IPv4 address of the machine'),
    port: z.number().int().min(0).max(65_535).default(8080).describe('TCP port; 0 takes a free one'),
    serves: z
      .array(z.string().min(1))
      .optional()
      .describe('surfaces whose routes are taken, by instance name; all when left out'),
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
    // Its own route, the signpost, is served wherever it listens.
    const table = host.routes(options.serves && [...options.serves, host.name])
    // Before `listen` starts: the routes that it dispatches to are complete by then.
    host.onStart(() => offerSignpost(host, table))
    listen(host, {
      address: { host: options.host, port: options.port },
      table,
      requestMs: options.request_timeout_secs * 1000,
      limits: {
        maxBodyBytes: options.max_body_bytes,
        headWaitMs: options.head_wait_secs * 1000,
        keepAliveMs: options.keep_alive_secs * 1000,
      },
      browsers: new BrowserCheck({
        bound: options.host,
        corsOrigins: options.cors_origins,
        allowedHosts: options.allowed_hosts,
        keyed: Boolean(options.key) || (options.keys ?? []).length > 0,
      }),
    })
  },
})
