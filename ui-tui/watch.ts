import { setTimeout as sleep } from 'node:timers/promises'
import type { z } from 'zod'
import { counted, lost, NOTHING, type Picture, requestOf, told } from './picture.ts'
import { agents, facts, type LiveRequest, layers, overview, prompts, providers, recent, type Source } from './source.ts'

/** At most so often the picture changes on the screen, in milliseconds. */
const FRAME_MS = 200
/** Looks from one at savings and caches to the next: a store has to count. */
const SLOW = 5
/** Until a stream that was refused is asked for again, in milliseconds. */
const REFUSED_MS = 5_000

/** Watches a gateway and keeps a picture of it. */
export class Watch {
  readonly #source: Source
  readonly #intervalMs: number
  readonly #listeners = new Set<() => void>()
  #picture: Picture = NOTHING
  /** What has changed since the last frame. */
  #next: Picture = NOTHING
  #requests: LiveRequest[] = []
  #frame: NodeJS.Timeout | undefined

  constructor(source: Source, intervalMs: number) {
    this.#source = source
    this.#intervalMs = intervalMs
  }

  get picture(): Picture {
    return this.#picture
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Until `signal`. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#poll(signal), this.#follow(signal)])
    clearTimeout(this.#frame)
  }

  async #poll(signal: AbortSignal): Promise<void> {
    for (let look = 0; !signal.aborted; look++) {
      await this.#look(look % SLOW === 0)
      await sleep(this.#intervalMs, undefined, { signal }).catch(() => {})
    }
  }

  /** Figures of a surface that is not in the pipeline stay away; without the totals the gateway counts as lost. */
  async #look(all: boolean): Promise<void> {
    const rest = [
      this.#fill(layers, '/debug/stats/layers', 'stats', found => found),
      this.#fill(providers, '/api/admin/providers', 'providers-admin', found => found),
      this.#fill(agents, '/debug/stats/agents', 'stats', found => found),
      this.#fill(facts, '/api/admin/process', 'process', found => ({ facts: found })),
    ]
    if (all) rest.push(this.#fill(overview, '/api/admin/overview', 'overview', found => ({ overview: found })))
    try {
      const found = await this.#source.ask(prompts, { path: '/debug/stats/prompts?limit=0', surface: 'stats' })
      this.#change(picture => counted(picture, found, Date.now()))
    } catch (error) {
      this.#change(picture => lost(picture, error instanceof Error ? error.message : String(error), Date.now()))
    }
    await Promise.all(rest)
  }

  async #fill<T>(
    shape: z.ZodType<T>,
    path: string,
    surface: string,
    change: (found: T) => Partial<Picture>,
  ): Promise<void> {
    const found = await this.#source.ask(shape, { path, surface }).catch(() => undefined)
    if (found !== undefined) this.#set(change(found))
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#source
        .follow(
          {
            connected: () => {
              this.#set({ following: true })
              void this.#catchUp()
            },
            request: request => {
              this.#requests.push(request)
              this.#change(picture => picture)
            },
            missed: count => this.#change(picture => ({ ...picture, missed: picture.missed + count })),
            lost: () => this.#set({ following: false }),
          },
          signal,
        )
        .catch(() => {})
      this.#set({ following: false })
      await sleep(REFUSED_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** The requests before, and those that ended while nothing was followed. */
  async #catchUp(): Promise<void> {
    const question = { path: '/api/admin/requests?limit=200', surface: 'requests' }
    const found = await this.#source.ask(recent, question).catch(() => undefined)
    if (found) this.#change(picture => told(picture, found.entries.map(requestOf)))
  }

  #set(change: Partial<Picture>): void {
    this.#change(picture => ({ ...picture, ...change }))
  }

  #change(change: (picture: Picture) => Picture): void {
    this.#next = change(this.#next)
    this.#frame ??= setTimeout(() => {
      this.#frame = undefined
      this.#next = told(this.#next, this.#requests.splice(0))
      this.#picture = this.#next
      for (const listener of this.#listeners) listener()
    }, FRAME_MS)
  }
}
