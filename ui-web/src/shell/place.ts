import { useMemo, useSyncExternalStore } from 'react'

/** Where somebody is: a tab and its filters, in the part of the address behind `#`, so that a link leads there. */

export const TABS = ['overview', 'providers', 'usage', 'requests', 'configuration'] as const
export type Tab = (typeof TABS)[number]

export interface Place {
  readonly tab: Tab
  readonly filters: URLSearchParams
}

const isTab = (name: string): name is Tab => TABS.some(tab => tab === name)

function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  return { tab: isTab(path) ? path : 'overview', filters: new URLSearchParams(query) }
}

function watch(watcher: () => void): () => void {
  window.addEventListener('hashchange', watcher)
  return () => window.removeEventListener('hashchange', watcher)
}

export function usePlace(): Place {
  const hash = useSyncExternalStore(watch, () => window.location.hash)
  return useMemo(() => placeOf(hash), [hash])
}

export function addressOf(tab: Tab, filters: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(filters).flatMap(([name, value]): [string, string][] => (value ? [[name, value]] : []))
  return given.length > 0 ? `#/${tab}?${new URLSearchParams(given)}` : `#/${tab}`
}

/** One filter of the place, and how to set it; `undefined` takes it out. It takes the place of the last entry of the history. */
export function useFilter(name: string): readonly [string | undefined, (value: string | undefined) => void] {
  const { tab, filters } = usePlace()
  const set = (value: string | undefined): void => {
    const next = { ...Object.fromEntries(filters), [name]: value }
    window.history.replaceState(null, '', addressOf(tab, next))
    window.dispatchEvent(new HashChangeEvent('hashchange'))
  }
  return [filters.get(name) ?? undefined, set]
}
