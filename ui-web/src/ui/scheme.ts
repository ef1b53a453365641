import { useSyncExternalStore } from 'react'

const dark = window.matchMedia('(prefers-color-scheme: dark)')

function watch(watcher: () => void): () => void {
  dark.addEventListener('change', watcher)
  return () => dark.removeEventListener('change', watcher)
}

/** `dark` or `light`, as the system has it now. */
export const useScheme = (): 'dark' | 'light' => useSyncExternalStore(watch, () => (dark.matches ? 'dark' : 'light'))

/** A colour of `tokens.css` as it is now; a canvas knows no variables. */
export const colourOf = (variable: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(variable).trim()
