/** The address and credentials in the URL of a Redis. */
export interface RedisAddress {
  readonly kind: 'single' | 'cluster' | 'sentinel'
  /** Servers; for a sentinel URL the sentinels. */
  readonly nodes: readonly RedisNode[]
  readonly tls: boolean
  readonly username?: string
  readonly password?: string
  /** Database number in the URL's path. */
  readonly db?: number
  /** Name of the group that the sentinels watch. */
  readonly master?: string
  readonly sentinelUsername?: string
  readonly sentinelPassword?: string
}

interface RedisNode {
  readonly host: string
  readonly port: number
}

const URL_SHAPE = /^redis(s?)(?:\+(cluster|sentinel))?:\/\/(?:(.*)@)?([^@/?#]+)(?:\/([^?#]*))?(?:\?([^#]*))?$/i
const NODE_SHAPE = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s]+))(?::(\d{1,5}))?$/i
/** Further nodes of a list may repeat scheme and credentials; those of the first node count. */
const REPEATED = /,\s*rediss?:\/\/(?:[^@,/]*@)?/gi
const SENTINEL_QUERY = ['sentinel_username', 'sentinel_password']

/**
 * Reads `redis://`, `rediss://` (TLS), `redis+cluster://a:1,b:2` (or just a list of nodes) and
 * `redis+sentinel://a:1,b:2/master/db`. Throws an `Error` that says what is wrong and repeats nothing of the URL:
 * it may hold a password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  const shape = URL_SHAPE.exec(url.trim().replaceAll(REPEATED, ','))
  if (!shape)
    throw new Error('must be a URL such as redis://host:6379/0, rediss://, redis+cluster:// or redis+sentinel://')
  const [, tls, topology, credentials, hosts = '', path = '', query = ''] = shape
  const list = hosts.split(',').filter(host => host.trim() !== '')
  const kind = kindOf(topology?.toLowerCase(), list.length)
  const nodes = list.map(host => nodeOf(host.trim(), kind === 'sentinel' ? 26_379 : 6379))
  const parts = path.split('/').filter(Boolean)
  const shared = { kind, nodes, tls: tls !== '', ...credentialsOf(credentials) }
  if (kind !== 'sentinel') {
    if (query) throw new Error('has a query, and only a sentinel URL has one')
    return { ...shared, ...dbOf(kind, parts) }
  }
  const [master, ...rest] = parts
  if (!master) throw new Error("must name the sentinels' master: redis+sentinel://host:26379/mymaster")
  return { ...shared, master: percentDecoded(master), ...dbOf(kind, rest), ...sentinelLogin(query) }
}

function kindOf(topology: string | undefined, nodes: number): RedisAddress['kind'] {
  if (topology === 'cluster' || topology === 'sentinel') return topology
  return nodes > 1 ? 'cluster' : 'single'
}

function nodeOf(text: string, defaultPort: number): RedisNode {
  const [, v6, name, digits] = NODE_SHAPE.exec(text) ?? []
  const host = v6 ?? name
  const port = digits === undefined ? defaultPort : Number(digits)
  if (host === undefined || port < 1 || port > 65_535) throw new Error('has a node that is not host:port')
  return { host, port }
}

function credentialsOf(text: string | undefined): Pick<RedisAddress, 'username' | 'password'> {
  if (!text) return {}
  const colon = text.indexOf(':')
  if (colon < 0) throw new Error('has a user without a password; a password alone is written redis://:password@host')
  const username = percentDecoded(text.slice(0, colon))
  return { ...(username && { username }), password: percentDecoded(text.slice(colon + 1)) }
}

function dbOf(kind: RedisAddress['kind'], parts: readonly string[]): Pick<RedisAddress, 'db'> {
  const [digits, ...more] = parts
  if (digits === undefined) return {}
  if (more.length > 0 || !/^\d{1,4}$/.test(digits)) throw new Error('must end with a database number, or with no path')
  if (kind === 'cluster' && Number(digits) !== 0) throw new Error('names a database; a cluster has only database 0')
  return { db: Number(digits) }
}

function sentinelLogin(query: string): Pick<RedisAddress, 'sentinelUsername' | 'sentinelPassword'> {
  const given = new URLSearchParams(query)
  if ([...given.keys()].some(name => !SENTINEL_QUERY.includes(name))) {
    throw new Error(`has a query that is not one of ${SENTINEL_QUERY.join(', ')}`)
  }
  const username = given.get('sentinel_username')
  const password = given.get('sentinel_password')
  return { ...(username && { sentinelUsername: username }), ...(password && { sentinelPassword: password }) }
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new Error('has a % that does not begin an escape; write it as %25')
  }
}
