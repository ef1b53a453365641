import { hash, timingSafeEqual } from 'node:crypto'
import { defineLayer, type Exchange, GatewayError } from 'deflector'
import { health } from 'deflector/facets/health'
import { principals } from 'deflector/facets/principals'
import { z } from 'zod'

/** The principal of `key`, which has no label of its own. */
const DEFAULT = 'default'

const options = z
  .strictObject({
    key: z.string().nullish().describe('The gateway key. When empty, only `keys` count.'),
    keys: z
      .array(
        z.strictObject({
          key: z.string().min(1).describe('The key itself.'),
          label: z.string().min(1).describe('Name of the holder, used in usage records, limits and cache scopes.'),
          admin: z.boolean().default(false).describe('Let this key administer the gateway, as `key` may.'),
        }),
      )
      .nullish()
      .describe('Further gateway keys, each with the name of its holder. Without any key, every request is admitted.'),
    required: z.boolean().default(true).describe('Refuse requests without a key. A wrong key is always refused.'),
    keyless_namespace: z
      .string()
      .min(1)
      .default('keyless')
      .describe(
        'Cache namespace of requests without a key, where `required` is off. Requests with a key never read from it.',
      ),
    cache_scope: z
      .enum(['auto', 'key', 'global'])
      .default('auto')
      .describe(
        'Which requests share cached answers: those with the same key (`key`), all (`global`), or by key once there are several (`auto`).',
      ),
    forward_client_credentials: z
      .boolean()
      .default(false)
      .describe(
        "Send a client's own credential to the vendor that gave it out, in place of a configured one. Its answers are shared with nobody else.",
      ),
  })
  .superRefine(({ key, keys }, context) => {
    const labels = [...(key ? [DEFAULT] : []), ...(keys ?? []).map(({ label }) => label)]
    // Two keys with one label would share their cache entries and their usage records.
    if (new Set(labels).size < labels.length) {
      context.addIssue({
        code: 'custom',
        path: ['keys'],
        message: `labels must differ, also from "${DEFAULT}", the label of "key"`,
      })
    }
  })

interface KnownKey {
  readonly digest: Buffer
  readonly label: string
  readonly admin: boolean
}

/** Admits requests by their key. Reads headers only, so that a refusal never waits for a long body. */
export default defineLayer({
  name: 'auth',
  label: 'l0',
  summary: 'checks the gateway key, and says whose it is and whether it may administer',
  options,
  apply(
    { name, hooks, offer },
    { key, keys, required, keyless_namespace, cache_scope, forward_client_credentials: forwards },
  ) {
    const known: KnownKey[] = (keys ?? []).map(({ key, label, admin }) => ({ digest: digestOf(key), label, admin }))
    if (key) known.unshift({ digest: digestOf(key), label: DEFAULT, admin: true })
    offer(health, () => (known.length > 0 ? 'active' : 'disabled'))
    offer(principals, known.length)
    if (known.length === 0 && !forwards) return
    const separate = cache_scope === 'key' || (cache_scope === 'auto' && known.length > 1)

    hooks.receive.tapPromise(name, async exchange => {
      const given = credentials(exchange)
      // A gateway key is ours, and stays here.
      if (forwards) exchange.credentials = given.filter(one => holderOf([one], known) === undefined)
      if (known.length === 0) return
      exchange.mayAdminister = false
      const holder = holderOf(given, known)
      if (holder === undefined) {
        if (given.length === 0 && !required) {
          exchange.namespace = keyless_namespace
          return
        }
        throw refusal(given.length === 0 ? 'this gateway needs a key' : 'the gateway key is wrong')
      }
      exchange.principal = holder.label
      exchange.mayAdminister = holder.admin
      if (separate) exchange.tenant = holder.label
    })
  },
})

const refusal = (what: string): GatewayError =>
  new GatewayError('unauthorized', `${what}; send it as "X-API-Key: <key>" or "Authorization: Bearer <key>"`)

/** Keys from both headers, because some clients fill one of them with a vendor's key. */
function credentials({ headers }: Exchange): string[] {
  const bearer = /^bearer +(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1]
  return [headers['x-api-key'], bearer].flatMap(given => (given?.trim() ? [given.trim()] : []))
}

/** Compares all digests in constant time, so that the duration says nothing about the keys. */
function holderOf(given: readonly string[], known: readonly KnownKey[]): KnownKey | undefined {
  let holder: KnownKey | undefined
  for (const digest of given.map(digestOf)) {
    for (const key of known) {
      if (timingSafeEqual(digest, key.digest)) holder ??= key
    }
  }
  return holder
}

const digestOf = (key: string): Buffer => hash('sha256', key, 'buffer')
