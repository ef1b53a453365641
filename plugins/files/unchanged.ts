import type { Stats } from 'node:fs'

type State = Pick<Stats, 'size' | 'mtimeMs' | 'ino'>

/** Files whose results are kept; a gateway reads one or two over and over. */
const MOST = 8

/** What was made of files, as long as they stay as they are: what is read again at each reload is made once. */
export class MadeOfFiles<T> {
  readonly #made = new Map<string, { readonly state: State; readonly of: T }>()

  /** `undefined` where the file was never read, or is another one since. */
  get(file: string, now: State): T | undefined {
    const { state, of } = this.#made.get(file) ?? {}
    const same = state?.size === now.size && state.mtimeMs === now.mtimeMs && state.ino === now.ino
    return same ? of : undefined
  }

  /** `state` is that of the file before it was read. */
  set(file: string, state: State, of: T): T {
    const { size, mtimeMs, ino } = state
    this.#made.delete(file)
    for (const oldest of this.#made.keys()) if (this.#made.size >= MOST) this.#made.delete(oldest)
    this.#made.set(file, { state: { size, mtimeMs, ino }, of })
    return of
  }
}
