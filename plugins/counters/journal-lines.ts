import { isObject } from 'deflector'

/** A counter was changed by so much, and may be forgotten after `endsAt` (milliseconds since 1970). */
export interface JournalRecord {
  readonly key: string
  readonly by: number
  readonly endsAt: number
}

/** The first line of a journal: the files that it stands for, too. */
interface Replacing {
  readonly replaces: readonly string[]
}

const NAME = /^counters-([a-z0-9.]+)-[a-z0-9]+\.jsonl$/

/** Who writes the journal of this name; `undefined` for what is none. */
export const ownerOf = (name: string): string | undefined => NAME.exec(name)?.[1]

/** Held by the owner as long as it lives. */
export const lockOf = (owner: string): string => `counters-${owner}.lock`

export const lineOf = ({ key, by, endsAt }: JournalRecord): string => `${JSON.stringify([key, by, endsAt])}\n`

export const firstLine = (replaces: readonly string[]): string => `${JSON.stringify({ replaces })}\n`

/** `undefined` for a line that was cut when its gateway ended: nothing waited for it any more. */
export function readLine(line: string): JournalRecord | Replacing | undefined {
  const given = parsed(line)
  if (Array.isArray(given)) {
    const [key, by, endsAt]: unknown[] = given
    const isRecord = typeof key === 'string' && Number.isSafeInteger(by) && typeof endsAt === 'number'
    return isRecord ? { key, by: Number(by), endsAt } : undefined
  }
  if (!isObject(given) || !Array.isArray(given.replaces)) return undefined
  return { replaces: given.replaces.filter(name => typeof name === 'string' && ownerOf(name) !== undefined) }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
