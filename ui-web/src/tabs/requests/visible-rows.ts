import { type RefObject, useLayoutEffect, useState, useSyncExternalStore } from 'react'

/** Rows above and below the screen that are drawn, too, and by which the drawn part moves. */
const SPARE = 12

export interface Rows {
  readonly first: number
  /** Behind the last one. */
  readonly end: number
}

/** Which rows of a list on a page that scrolls have to be drawn. */
export function useVisibleRows(frame: RefObject<HTMLElement | null>, count: number, height: number): Rows {
  const [rows, setRows] = useState<Rows>({ first: 0, end: 60 })
  useLayoutEffect(() => {
    const look = (): void => {
      const above = -(frame.current?.getBoundingClientRect().top ?? 0)
      const from = Math.max(0, Math.floor(above / height / SPARE) - 1) * SPARE
      const end = from + Math.ceil(window.innerHeight / height / SPARE + 3) * SPARE
      setRows(last => (last.first === from && last.end === end ? last : { first: from, end }))
    }
    look()
    window.addEventListener('scroll', look, { passive: true })
    window.addEventListener('resize', look)
    return () => {
      window.removeEventListener('scroll', look)
      window.removeEventListener('resize', look)
    }
  }, [frame, height])
  return { first: Math.min(rows.first, count), end: Math.min(rows.end, count) }
}

const narrow = window.matchMedia('(max-width: 800px)')

function watchWidth(watcher: () => void): () => void {
  narrow.addEventListener('change', watcher)
  return () => narrow.removeEventListener('change', watcher)
}

/** Pixels of a row; `requests.css` says the same. */
export const useRowHeight = (): number => useSyncExternalStore(watchWidth, () => (narrow.matches ? 56 : 34))

function watchScroll(watcher: () => void): () => void {
  window.addEventListener('scroll', watcher, { passive: true })
  return () => window.removeEventListener('scroll', watcher)
}

/** Has somebody scrolled away from the newest? Then nothing may move under their eyes. */
export const useScrolled = (): boolean => useSyncExternalStore(watchScroll, () => window.scrollY > 240)
