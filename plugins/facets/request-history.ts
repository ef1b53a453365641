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
export function isWanted(entry: RequestEntry, { text, layer, status }: RequestQuery, json?: string): boolean {
  const said = entry.status ?? entry.response_status
  if (layer !== undefined && entry.final_layer !== layer) return false
  if (status !== undefined && said !== status && Math.floor(Number(said) / 100) !== status) return false
  return text === undefined || (json ?? JSON.stringify(entry)).toLowerCase().includes(text.toLowerCase())
}
