import { useMemo } from 'react'
import { addressOf, usePlace } from '../../shell/place.ts'
import type { RequestLine } from './request-line.ts'

/** Conditions of the log, as the address and the endpoint call them. */
const FILTERS = ['q', 'layer', 'status', 'client', 'model', 'key', 'tag'] as const
export type Filter = (typeof FILTERS)[number]
export type LogFilters = Readonly<Partial<Record<Filter, string>>>

export function useLogFilters(): LogFilters {
  const { filters } = usePlace()
  const given = FILTERS.map(name => filters.get(name) ?? '').join('\n')
  return useMemo(
    () => Object.fromEntries(FILTERS.flatMap(name => (filters.get(name) ? [[name, filters.get(name)]] : []))),
    [given],
  )
}

/** The address of a request's story, over the log as it is filtered. */
export const storyAddress = (id: string, filters: LogFilters): string => addressOf('requests', { ...filters, id })

/** Is a request that has just ended one of the log? What a text stands in only the gateway knows. */
export function fits(line: RequestLine, { q, layer, status, client, model, key, tag }: LogFilters): boolean {
  if (q !== undefined) return false
  if (layer !== undefined && line.layer !== layer) return false
  if (status !== undefined && !String(line.status).startsWith(status)) return false
  if (client !== undefined && line.client !== client) return false
  if (model !== undefined && !line.model?.toLowerCase().includes(model.toLowerCase())) return false
  if (key !== undefined && line.key !== key) return false
  return tag === undefined || line.tags.includes(tag)
}
