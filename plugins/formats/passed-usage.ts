import { endOfValue, isObject, JSON_BYTES, skipSpace, type Usage } from 'deflector'
import { count } from './usage.ts'

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

/** Vendors of each dialect have names of their own, and some tell the total alone. */
function countedIn(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined
  const input = count(usage.input_tokens) ?? count(usage.prompt_tokens) ?? count(usage.promptTokenCount)
  const output = count(usage.output_tokens) ?? count(usage.completion_tokens)
  const both = count(usage.total_tokens) ?? count(usage.totalTokenCount)
  if (input === undefined && output === undefined && both === undefined) return undefined
  const total = Math.max(both ?? 0, (input ?? 0) + (output ?? 0))
  const sent = input ?? total - (output ?? 0)
  return { input: sent, output: total - sent }
}
