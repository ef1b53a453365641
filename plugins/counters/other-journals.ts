import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { ownerOf } from './journal-lines.ts'
import { ReadJournal } from './read-journal.ts'

/** Tries to read a folder in which journals are replaced meanwhile. */
const TRIES = 5

/** What other gateways have counted that use the same folder, as far as their journals were read. */
export class OtherJournals {
  #journals = new Map<string, ReadJournal>()
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  /** `isOurs`: is this the name of a journal that counts already? */
  constructor(
    private readonly folder: string,
    private readonly isOurs: (name: string) => boolean,
  ) {}

  /** Their owners. */
  get owners(): ReadonlySet<string> {
    return new Set([...this.#journals.keys()].flatMap(name => ownerOf(name) ?? []))
  }

  /** Files that theirs stand for. */
  get replaced(): ReadonlySet<string> {
    return new Set([...this.#journals.values()].flatMap(({ replaces }) => replaces))
  }

  count(key: string): number {
    let sum = 0
    for (const journal of this.#journals.values()) sum += journal.count(key)
    return sum
  }

  /** Resolves once all that was written before this call is read, as far as the disk allows. Never throws. */
  look(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#look().finally(() => {
        this.#running = undefined
      })
      return this.#running
    }
    // One that runs has begun before.
    this.#next ??= this.#running.then(() => {
      this.#next = undefined
      return this.look()
    })
    return this.#next
  }

  async #look(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      try {
        await this.#read()
        return
      } catch {
        // A journal was replaced between the look at the folder and that at the file.
      }
    }
  }

  async #read(): Promise<void> {
    const names = (await readdir(this.folder)).filter(name => ownerOf(name) !== undefined && !this.isOurs(name))
    const read = new Map<string, ReadJournal>()
    for (const name of names) {
      const journal = this.#journals.get(name) ?? new ReadJournal(join(this.folder, name))
      await journal.look()
      read.set(name, journal)
    }
    for (const { replaces } of [...read.values()]) for (const name of replaces) read.delete(name)
    this.#journals = read
  }
}
