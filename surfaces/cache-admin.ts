import { type Call, defineSurface, promptOf, sendJson } from 'deflector'
import { cacheControls } from 'deflector/facets/cache-controls'
import { cacheWhy, type Why } from 'deflector/facets/cache-why'
import { type ChatSurface, chatSurface } from 'deflector/facets/chat-surface'
import { badRequest, checked, optional } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { readOwnJson } from 'deflector/formats/own-json'
import { z } from 'zod'

/** Bytes of a body at these endpoints. */
const LIMIT = 4096
/** Where it holds two prompts. */
const PROMPTS_LIMIT = 64 << 10

const asked = z.string('must be a string').refine(text => text.trim() !== '', 'must not be blank')
const question = z.looseObject({
  prompt: asked,
  other: optional(asked),
  surface: optional(z.string('must be a string')),
  model: optional(z.string('must be a string').min(1, 'must not be empty')),
})

const forgettable = z.looseObject({ request_id: z.string().min(1).max(200) })

export default defineSurface({
  name: 'cache-admin',
  needsFlow: true,
  summary: 'GET /api/admin/cache, POST /clear, /forget and /why: what the caches keep and decide, for the operator',
  options: z.strictObject({}),
  apply(host) {
    // This surface's own flow says who may, also where another flow is inspected: that one may let everybody in.
    const options = { format: native, admin: true }
    host.route('GET', '/api/admin/cache', stats, options)
    host.route('POST', '/api/admin/cache/clear', clear, options)
    host.route('POST', '/api/admin/cache/forget', forget, options)
    host.route('POST', '/api/admin/cache/why', why, options)

    async function stats(call: Call): Promise<void> {
      const counted = [...host.offers(cacheControls)].map(
        async ([name, controls]) => [name, await controls.stats()] as const,
      )
      sendJson(call, { caches: Object.fromEntries(await Promise.all(counted)) })
    }

    async function clear(call: Call): Promise<void> {
      await readOwnJson(call, LIMIT)
      const caches = [...host.offers(cacheControls)]
      const outcomes = await Promise.allSettled(caches.map(([, controls]) => controls.clear()))
      // A failure of one does not keep the others from being emptied, but is reported.
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
      sendJson(call, { cleared: caches.map(([name]) => name) })
    }

    async function forget(call: Call): Promise<void> {
      const { request_id } = checked(forgettable, await readOwnJson(call, LIMIT))
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

    /** What the caches would do with a prompt; with another one, what they would do if just its answer were stored. */
    async function why(call: Call): Promise<void> {
      const { prompt, other, surface: wanted, model } = checked(question, await readOwnJson(call, PROMPTS_LIMIT))
      const surfaces = host.offers(chatSurface)
      const surface = wanted ?? [...surfaces.keys()][0] ?? ''
      const chat = surfaces.get(surface)
      if (!chat)
        throw badRequest('surface', `must be one of ${[...surfaces.keys()].join(', ') || 'none: no surface chats'}`)
      const { exchange, layers } = await inspect(call, chat, { prompt, model })
      const against = other === undefined ? undefined : (await inspect(call, chat, { prompt: other, model })).exchange
      const caches: [string, Why][] = []
      for (const [name, explain] of inOrder(host.offers(cacheWhy), layers)) {
        caches.push([name, layers.includes(name) ? await explain(exchange, against) : NOT_LISTED])
      }
      const answers = caches.find(([, { hit }]) => hit)?.[0] ?? null
      const known = { surface, surfaces: [...surfaces.keys()], model: exchange.model ?? null }
      sendJson(call, { ...known, answers, caches: Object.fromEntries(caches) })
    }
  },
})

const NOT_LISTED: Why = { hit: false, because: 'it is not asked: the flow of this surface does not list it' }

/** The flow's own order; layers that it does not list come last. */
function inOrder<T>(offered: ReadonlyMap<string, T>, layers: readonly string[]): readonly (readonly [string, T])[] {
  const rank = (name: string): number => (layers.includes(name) ? layers.indexOf(name) : layers.length)
  return [...offered].sort(([a], [b]) => rank(a) - rank(b))
}

interface Question {
  readonly prompt: string
  readonly model: string | undefined
}

/** The request that a client of the surface would send with nothing but this prompt; the caller's headers are its own. */
function inspect(call: Call, { format, namespace, inspect }: ChatSurface, { prompt, model }: Question) {
  const turns = [{ role: 'user' as const, blocks: [{ type: 'text' as const, text: prompt }] }]
  const chat = { system: [], turns, tools: [], sampling: {} }
  const { model: _, ...bare } = format.encodePrompt(chat, { model: model ?? '', stream: false })
  const body = { ...bare, ...(model !== undefined && { model }) }
  const { id, headers, cancellation } = call
  const read = async () => promptOf(format, Buffer.from(JSON.stringify(body)), body)
  return inspect({ id, namespace, headers, cancellation, read })
}
