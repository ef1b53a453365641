import { type RefObject, useEffect, useRef, useState } from 'react'

/** Of the button that opens a setting's editor. */
export const editIdOf = (key: string): string => `edit-${key}`

interface Saved {
  readonly key: string | undefined
  /** Of the file that has it. */
  readonly revision: string
}

interface FocusAfterSave<T extends HTMLElement> {
  /** Where the focus goes if the saved setting has no row on the screen. */
  readonly fallback: RefObject<T | null>
  saved(what: Saved): void
}

/** Brings the focus back to what was saved: the button that had it goes with the last draft. */
export function useFocusAfterSave<T extends HTMLElement>(shown: string | undefined): FocusAfterSave<T> {
  const fallback = useRef<T>(null)
  const [what, saved] = useState<Saved>()
  useEffect(() => {
    // Rows are made anew with the new revision, and would lose the focus again.
    if (!what || shown !== what.revision) return
    saved(undefined)
    if (document.activeElement !== document.body) return
    const row = what.key === undefined ? null : document.getElementById(editIdOf(what.key))
    const target = row ?? fallback.current
    target?.focus()
  }, [what, shown])
  return { fallback, saved }
}
