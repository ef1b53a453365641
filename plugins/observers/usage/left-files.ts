import type { Clock, HostLog } from 'deflector'
import { Aggregates, dayOf } from './aggregates.ts'
import { LedgerFiles } from './ledger-files.ts'

/** Until the folder is looked at again: writers come and go, and days pass. */
const AGAIN_MS = 15_000
/** Logs up to this size are read before the gateway serves, larger ones beside it. */
const READ_FIRST = 16 << 20

interface Place {
  readonly folder: string
  readonly retentionDays: number
}

/**
 * What other processes wrote into the folder and left there: the second of two that ran side by side, or one that crashed
 * under another host name. Each is added up once, as soon as its lock says that its writer is gone. From then on its old
 * days are deleted here.
 */
export class LeftFiles {
  #aggregates = new Aggregates()
  readonly #counted = new Set<string>()
  readonly #reading = new Set<Promise<void>>()
  #again: (() => void) | undefined
  /** The name under which this process writes. */
  #own = ''
  /** The day on which old files were deleted last. */
  #forgotten: number | undefined
  #closed = false

  constructor(
    private readonly clock: Clock,
    private readonly log: HostLog,
    /** Asked whenever the folder is looked at: a reload may change how long files are kept. */
    private readonly place: () => Place,
  ) {}

  get aggregates(): Aggregates {
    return this.#aggregates
  }

  /** Takes over the sums of a writer's files that were ours, and are another's now. */
  add(stem: string, sums: Aggregates): void {
    this.#again?.()
    this.#counted.add(stem)
    this.#aggregates.merge(sums)
  }

  /** Reads what is left beside the files of `own`, now and whenever a writer goes, and deletes what is too old. */
  async readBeside(own: string): Promise<void> {
    this.#again?.()
    this.#own = own
    // What was counted here is counted there from now on.
    if (this.#counted.delete(own)) {
      this.#counted.clear()
      this.#aggregates = new Aggregates()
    }
    try {
      await this.#look(own, this.place())
    } finally {
      this.#again?.()
      this.#again = this.#closed ? undefined : this.clock.after(AGAIN_MS, () => this.#readAgain())
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#again?.()
    await Promise.all(this.#reading)
  }

  #readAgain(): void {
    const reading = this.readBeside(this.#own)
      .catch(error => this.#failed(error))
      .finally(() => this.#reading.delete(reading))
    this.#reading.add(reading)
  }

  async #look(own: string, place: Place): Promise<void> {
    const today = dayOf(this.clock.now())
    for (const stem of await LedgerFiles.stems(place.folder)) {
      const isCounted = this.#counted.has(stem)
      if (stem === own || this.#closed || (isCounted && this.#forgotten === today)) continue
      try {
        const files = await LedgerFiles.take(place.folder, stem, this.clock)
        // Its writer may be alive.
        if (!files) continue
        if (isCounted) await files.forget(today, place.retentionDays).finally(() => files.leave())
        else await this.#read(files, place)
      } catch (error) {
        this.#failed(error)
      }
    }
    this.#forgotten = today
  }

  async #read(files: LedgerFiles, { retentionDays }: Place): Promise<void> {
    this.#counted.add(files.stem)
    const target = this.#aggregates
    const sums = new Aggregates()
    let rests: Awaited<ReturnType<LedgerFiles['restore']>> = []
    const rest = async (): Promise<void> => {
      try {
        for (const each of rests) await files.replay(each, sums, () => this.#closed)
        target.merge(sums)
      } finally {
        await files.leave()
      }
    }
    try {
      await files.forget(dayOf(this.clock.now()), retentionDays)
      rests = await files.restore(sums)
    } catch (error) {
      this.#failed(error)
    }
    const bytes = rests.reduce((sum, { size, from }) => sum + size - from, 0)
    const reading = rest()
      .catch(error => this.#failed(error))
      .finally(() => this.#reading.delete(reading))
    this.#reading.add(reading)
    if (bytes <= READ_FIRST) await reading
  }

  #failed(error: unknown): void {
    this.log.degraded('left', 'usage that another process wrote cannot be read', {
      error: error instanceof Error ? error.message : undefined,
    })
  }
}
