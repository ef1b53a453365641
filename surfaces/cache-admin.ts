import { type Call, defineSurface, GatewayError, isLoopback, isObject, isSameHost, sendJson } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { badRequest, checked } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { jsonOnly } from 'deflector/formats/own-json'
import { z } from 'zod'

/** Bytes of a body at these endpoints. */
const LIMIT = 4096

const forgettable = z.looseObject({ request_id: z.string().min(1).max(200) })

export default defineSurface({
  name: 'cache-admin',
  needsFlow: true,
  summary: 'GET /api/admin/cache, POST /clear and /forget: what the caches keep, for the operator',
  options: z.strictObject({
    key: z.string().nullish().describe('The gateway key, as the `auth` layer has it.'),
    keys: z
      .array(z.looseObject({ key: z.string() }))
      .nullish()
      .describe('Further gateway keys. Without any key only this machine may clear and forget.'),
  }),
  apply(host, { key, keys }) {
    const keyed = Boolean(key) || (keys ?? []).length > 0

    host.route('GET', '/api/admin/cache', stats, { format: native })
    host.route('POST', '/api/admin/cache/clear', clear, { format: native })
    host.route('POST', '/api/admin/cache/forget', forget, { format: native })

    async function stats(call: Call): Promise<void> {
      await host.admit(call)
      const counted = [...host.offers(cacheControls)].map(
        async ([name, controls]) => [name, await controls.stats()] as const,
      )
      sendJson(call, { caches: Object.fromEntries(await Promise.all(counted)) })
    }

    async function clear(call: Call): Promise<void> {
      await letIn(call)
      const caches = [...host.offers(cacheControls)]
      const outcomes = await Promise.allSettled(caches.map(([, controls]) => controls.clear()))
      // A failure of one does not keep the others from being emptied, but is reported.
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
      sendJson(call, { cleared: caches.map(([name]) => name) })
    }

    async function forget(call: Call): Promise<void> {
      const { request_id } = checked(forgettable, await letIn(call))
      const caches = [...host.offers(cacheControls)]
      // A copy of a wrong answer may have been served under many ids; who first got it knows where it came from.
      const origins = caches.flatMap(([, controls]) => controls.origin?.(request_id) ?? [])
      const ids = new Set([request_id, ...origins])
      const copies = caches.map(
        ([name, controls]) => [name, [...ids].flatMap(id => controls.copies?.(id) ?? [])] as const,
      )
      const forgotten = new Set<string>()
      for (const [name, controls] of caches) {
        const elsewhere = copies.flatMap(([owner, copied]) => (owner === name ? [] : copied))
        for (const id of [...ids, ...elsewhere]) if (await controls.forget(id)) forgotten.add(name)
      }
      sendJson(call, { forgotten: [...forgotten] })
    }

    /** The body of one who may change something. */
    async function letIn(call: Call): Promise<Record<string, unknown>> {
      await host.admit(call)
      if (!keyed) refuseStrangers(call)
      refuseOtherPages(call)
      jsonOnly(call.headers)
      return readObject(call)
    }
  },
})

/** Where there is no key, being on this machine is all that tells the operator from others. */
function refuseStrangers({ remote }: Call): void {
  if (!isLoopback(remote))
    throw new GatewayError('forbidden', 'without a gateway key only this machine may change the cache')
}

/** Stricter than elsewhere: no page but one of the very host that it asks. */
function refuseOtherPages({ headers: { origin, host = '' } }: Call): void {
  if (origin !== undefined && !isSameHost(origin, host))
    throw new GatewayError('forbidden', 'pages of other origins may not change the cache')
}

async function readObject(call: Call): Promise<Record<string, unknown>> {
  const bytes = await call.body(LIMIT)
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    throw badRequest('', 'is not JSON')
  }
  if (!isObject(parsed)) throw badRequest('', 'must be a JSON object')
  return parsed
}
