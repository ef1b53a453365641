import { useSyncExternalStore } from 'react'
import { session, watchSession } from '../../api/session-key.ts'

/** What somebody has changed and not saved yet. It is kept while other tabs are looked at, and goes with the session. */

export interface Draft {
  /** What stands in the editor. */
  readonly text: string
  /** What is sent: a value, a patch of a map, or `null` for the default. */
  readonly value: unknown
}

export type Drafts = ReadonlyMap<string, Draft>

let drafts: Drafts = new Map()
const watchers = new Set<() => void>()

function change(next: Drafts): void {
  drafts = next
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

watchSession(() => {
  if (session().key === undefined && drafts.size > 0) change(new Map())
})

export const useDrafts = (): Drafts => useSyncExternalStore(watch, () => drafts)

/** Without a draft the setting stays as it is. */
export function setDraft(key: string, draft: Draft | undefined): void {
  const next = new Map(drafts)
  if (draft) next.set(key, draft)
  else next.delete(key)
  change(next)
}

export const dropDrafts = (): void => change(new Map())

/** All drafts as one patch, with dotted keys. */
export const patchOfDrafts = (of: Drafts): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...of].map(([key, { value }]) => [key, value]))
