import { rmSync, writeFileSync } from 'node:fs'
import type { Log } from '../../core/host.ts'
import { type Address, localUrl } from './address.ts'
import { failureLines } from './failure.ts'
import { pidFileOf, reloadFileOf, removePidFile, writePidFile } from './pid-file.ts'

/** What a running gateway leaves in the data directory so that `stop` and `reload` find it. Without it, it serves all the same. */
export class Note {
  #file: string | undefined
  #said = ''

  constructor(
    private readonly dataDir: string,
    private readonly log: Log,
  ) {}

  /** Says where the gateway listens now and how long it may take to end; a note of another port is taken away. */
  write(address: Address | undefined, drainSecs: number): void {
    const file = pidFileOf(this.dataDir, address?.port ?? 0)
    const url = address ? localUrl(address) : ''
    const said = `${file} ${url} ${drainSecs}`
    if (said === this.#said) return
    this.#attempt('no pid file', () => {
      writePidFile(file, url, drainSecs)
      if (this.#file && this.#file !== file) removePidFile(this.#file)
      this.#file = file
      this.#said = said
    })
  }

  /** What came of a reload, for the one who asked. It lies beside the note that they went by. */
  outcome(outcome: object): void {
    const file = this.#file
    if (!file) return
    this.#attempt('the outcome of the reload could not be left', () =>
      writeFileSync(reloadFileOf(file), JSON.stringify(outcome), { mode: 0o600 }),
    )
  }

  remove(): void {
    const file = this.#file
    this.#file = undefined
    if (!file) return
    removePidFile(file)
    rmSync(reloadFileOf(file), { force: true })
  }

  #attempt(what: string, run: () => void): void {
    try {
      run()
    } catch (error) {
      this.log.warn(`${what}: ${failureLines(error)[0]}`)
    }
  }
}
