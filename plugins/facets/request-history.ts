import { facet } from 'deflector'

/** Which of the kept requests are wanted. All conditions have to hold. */
export interface RequestQuery {
  /** Most entries. */
  readonly limit: number
  /** A text that stands somewhere in the entry, in any case. */
  readonly text?: string | undefined
  /** `final_layer`. */
  readonly layer?: string | undefined
  /** An HTTP status, or its first digit (`4` is every 4xx). */
  readonly status?: number | undefined
  readonly client?: string | undefined
  readonly tool?: string | undefined
  /** A part of the model's name, in any case. */
  readonly model?: string | undefined
  /** `principal`: label of the gateway key. */
  readonly key?: string | undefined
  /** One of `tags`. */
  readonly tag?: string | undefined
}

/** A kept request as JSON: an `ExchangeRecord`, where bodies are kept with those. */
export type RequestEntry = Readonly<Record<string, unknown>>

/** Finished requests, as far as an observer keeps them. */
export interface RequestHistory {
  /** Folder of the files; absent where they are kept in memory. */
  readonly path?: string
  /** Newest first. */
  list(query: RequestQuery): Promise<readonly RequestEntry[]>
  find(requestId: string): Promise<RequestEntry | undefined>
}

export const requestHistory = facet<RequestHistory>('request-history')

/** Is the entry one of those that are wanted? */
export function isWanted(entry: RequestEntry, query: RequestQuery, json?: string): boolean {
  const { text, status, model, tag } = query
  for (const [member, wanted] of Object.entries(MEMBERS))
    if (query[wanted] !== undefined && entry[member] !== query[wanted]) return false
  const said = entry.response_status ?? entry.status
  if (status !== undefined && said !== status && Math.floor(Number(said) / 100) !== status) return false
  if (model !== undefined && !holds(String(entry.model ?? ''), model)) return false
  if (tag !== undefined && !(Array.isArray(entry.tags) && entry.tags.includes(tag))) return false
  return text === undefined || holds(json ?? JSON.stringify(entry), text)
}

/** Conditions that are a member's very value. */
const MEMBERS = { final_layer: 'layer', client: 'client', tool: 'tool', principal: 'key' } as const

const holds = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase())
