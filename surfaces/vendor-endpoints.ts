import { type Call, type ChatFormat, defineSurface, type RouteOptions } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { BATCH_METHODS, generateContent, keyed, RESOURCES, rehomed } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { passing, type Resources } from 'deflector/formats/pass-through'
import { z } from 'zod'

/** Endpoints of one dialect's vendors, by path. */
interface Endpoints {
  readonly dialect: ChatFormat
  readonly when?: RouteOptions['when']
  readonly resources?: Resources
  /** The call as the flow, and its client, have it. */
  readonly as?: (call: Call) => Call
  readonly paths: Readonly<Record<string, readonly string[]>>
}

const FILES = { '/v1/files': ['GET', 'POST'], '/v1/files/*rest': ['GET', 'DELETE'] }

const ENDPOINTS: readonly Endpoints[] = [
  {
    dialect: messages,
    paths: {
      '/v1/messages/batches': ['GET', 'POST'],
      '/v1/messages/batches/*rest': ['GET', 'POST', 'DELETE'],
    },
  },
  { dialect: messages, when: headers => headers['anthropic-version'] !== undefined, paths: FILES },
  {
    dialect: chatCompletions,
    paths: {
      ...FILES,
      '/v1/uploads': ['POST'],
      '/v1/uploads/*rest': ['POST'],
      '/v1/batches': ['GET', 'POST'],
      '/v1/batches/*rest': ['GET', 'POST'],
      '/v1/images/*rest': ['POST'],
      '/v1/audio/*rest': ['GET', 'POST'],
      '/v1/moderations': ['POST'],
      '/v1/rerank': ['POST'],
    },
  },
  {
    dialect: generateContent,
    resources: RESOURCES,
    as: call => rehomed(keyed(call)),
    paths: {
      '/upload/v1beta/files': ['POST'],
      '/v1beta/files': ['GET'],
      '/v1beta/files/*rest': ['GET', 'DELETE'],
      '/download/v1beta/files/*rest': ['GET'],
      '/v1beta/cachedContents': ['GET', 'POST'],
      '/v1beta/cachedContents/*rest': ['GET', 'PATCH', 'DELETE'],
      '/v1beta/batches': ['GET'],
      '/v1beta/batches/*rest': ['GET', 'POST', 'DELETE'],
      ...Object.fromEntries(BATCH_METHODS.map(method => [`/v1beta/models/*model\\:${method}`, ['POST']])),
    },
  },
]

/** What stands below an endpoint, which its vendor limits as one. */
const BELOW = /\/\*.*$/

const same = (call: Call): Call => call

/**
 * Ids that a call names are its principal's own, or 404. A list is the vendor's own page, of what all keys of the gateway
 * made with one vendor key, so it is refused where there are several principals. Its cursors are ids, too: with the
 * others' entries taken out a client would page from an id that it does not have, or stop at an empty page.
 */
export default defineSurface({
  name: 'vendor-endpoints',
  needsFlow: true,
  // Names no operations, as not every provider has them: such a call is refused by itself.
  summary: 'files, batches, cached contents, images, audio, moderations and rerank of a vendor, passed through',
  options: z.strictObject({}),
  apply(host) {
    for (const { dialect, when, resources, as = same, paths } of ENDPOINTS)
      for (const [path, methods] of Object.entries(paths))
        for (const method of methods) {
          const spoken = passing(dialect, { method, endpoint: path.replace(BELOW, ''), resources })
          host.route(method, path, call => host.serve(as(call), spoken), { format: spoken, ...(when && { when }) })
        }
  },
})
