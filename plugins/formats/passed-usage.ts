import { endOfValue, isObject, JSON_BYTES, type JsonObject, skipSpace, type Usage } from 'deflector'
import { count, usageOf } from './usage.ts'

const MEMBERS = ['"usage"', '"usageMetadata"']
/** Bytes that a usage may have; a longer one is none. */
const MOST_BYTES = 16 << 10

/**
 * The tokens that a reply of which nothing else is known says it took: those of its last member of such a name. Found without
 * reading what stands before it, which may be megabytes of pictures: within a string, quotes are escaped.
 */
export function passedUsage(json: Buffer | string): Usage | undefined {
  const [at, name] = MEMBERS.map(member => [json.lastIndexOf(member), member] as const).reduce(later)
  if (at < 0) return undefined
  const from = at + name.length
  const to = from + MOST_BYTES
  const rest = typeof json === 'string' ? Buffer.from(json.slice(from, to)) : json.subarray(from, to)
  const colon = skipSpace(rest, 0)
  if (rest[colon] !== JSON_BYTES.COLON) return undefined
  const start = skipSpace(rest, colon + 1)
  try {
    return countedIn(JSON.parse(rest.toString('utf8', start, endOfValue(rest, start))))
  } catch {
    return undefined
  }
}

const later = <P extends readonly [number, string]>(one: P, other: P): P => (other[0] > one[0] ? other : one)

/** A vendor's usage. Those of each dialect have names of their own, and some tell the total alone. */
export function countedIn(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const fresh = count(usage.input_tokens) ?? count(usage.prompt_tokens) ?? count(usage.promptTokenCount)
  const output = count(usage.output_tokens) ?? count(usage.completion_tokens)
  const both = count(usage.total_tokens) ?? count(usage.totalTokenCount)
  if (fresh === undefined && output === undefined && both === undefined) return undefined
  // In the messages format what a cache served is counted beside the input, elsewhere it is part of it.
  const [read, cacheWrite] = [count(usage.cache_read_input_tokens), count(usage.cache_creation_input_tokens)]
  const input = fresh === undefined ? undefined : fresh + (read ?? 0) + (cacheWrite ?? 0)
  const total = Math.max(both ?? 0, (input ?? 0) + (output ?? 0))
  const sent = input ?? total - (output ?? 0)
  return usageOf({ input: sent, output: total - sent, cacheRead: read ?? cachedIn(usage), cacheWrite })
}

function cachedIn({
  input_tokens_details,
  prompt_tokens_details,
  cachedContentTokenCount,
}: JsonObject): number | undefined {
  const details = input_tokens_details ?? prompt_tokens_details
  return isObject(details) ? count(details.cached_tokens) : count(cachedContentTokenCount)
}
