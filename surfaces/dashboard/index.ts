import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Call, defineSurface, GatewayError } from 'deflector'
import { type Endpoint, endpoints } from 'deflector/facets/endpoints'
import { native } from 'deflector/formats/native'
import { z } from 'zod'
import { BuiltFiles } from './built-files.ts'
import { headersOf, wants } from './headers.ts'

const BUILT = join(dirname(createRequire(import.meta.url).resolve('deflector/package.json')), 'dist/ui-web')

/** Serves the built single-page app of `ui-web`. Its data is that of the admin endpoints, which ask for the key. */
export default defineSurface({
  name: 'dashboard',
  summary: 'GET /dashboard/: the dashboard, a web page over the admin endpoints, open to everybody',
  options: z.strictObject({
    folder: z.string().optional().describe('Folder of the built app; by default the one of the package.'),
  }),
  apply(host, { folder = BUILT }) {
    const files = host.keep(`dashboard:${folder}`, () => new BuiltFiles(folder))
    host.offer(endpoints, ENDPOINTS)
    const options = { format: native }
    // Both methods are spelled out where the slash at the end decides.
    for (const method of ['GET', 'HEAD']) {
      host.route(method, '/dashboard', toPage, options)
      host.route(method, '/dashboard/', call => send(call, 'index.html'), options)
    }
    host.route('GET', '/dashboard/logo.png', call => send(call, 'logo.png'), options)
    host.route('GET', '/dashboard/assets/:file', call => send(call, `assets/${call.params.file ?? ''}`), options)

    async function send(call: Call, name: string): Promise<void> {
      const file = await files.find(name)
      if (!file) throw new GatewayError('not_found', await absence())
      const { gzip, isCurrent } = wants(call.headers, file)
      const headers = headersOf(name, file, gzip)
      if (isCurrent) call.send(304, headers)
      else call.send(200, headers, gzip ? file.gzipped : file.bytes)
    }

    const absence = async (): Promise<string> =>
      (await files.find('index.html'))
        ? 'the dashboard has no such file'
        : 'the dashboard is not built: run "npm run prepare"'
  },
})

const toPage = (call: Call): void => call.send(308, { location: '/dashboard/', 'cache-control': 'no-cache' })

const open = (path: string, summary: string): Endpoint => ({
  method: 'GET',
  path,
  summary,
  open: true,
  refusals: [404],
})
const ENDPOINTS: readonly Endpoint[] = [
  open('/dashboard', 'Leads to the dashboard'),
  open('/dashboard/', 'The dashboard, a web page'),
  open('/dashboard/logo.png', 'Its logo'),
  open('/dashboard/assets/:file', 'A file of the page'),
]
