import { rmSync, writeFileSync } from 'node:fs'
import type { Log } from '../../core/host.ts'
import { type Address, addressText } from './address.ts'
import { failureLines } from './failure.ts'
import { pidFileOf, reloadFileOf, removePidFile, writePidFile } from './pid-file.ts'

/**
 * The files of a running gateway in the data directory: its pid file, by which `stop` and `reload` find it, and the
 * outcome of a reload. A failure to write them is logged, and the gateway serves anyway.
 */
export class RunRecord {
  #file: string | undefined
  #written = ''

  constructor(
    private readonly dataDir: string,
    private readonly log: Log,
  ) {}

  /** Writes the pid file with the current address and drain time; removes the file of an earlier port. */
  write(address: Address | undefined, drainSecs: number): void {
    const file = pidFileOf(this.dataDir, address?.port ?? 0)
    const where = address ? addressText(address) : ''
    const content = `${file} ${where} ${drainSecs}`
    if (content === this.#written) return
    this.#attempt('the pid file could not be written', () => {
      writePidFile(file, where, drainSecs)
      if (this.#file && this.#file !== file) removePidFile(this.#file)
      this.#file = file
      this.#written = content
    })
  }

  /** Writes the outcome of a reload beside the pid file, for the command that requested it. */
  writeOutcome(outcome: object): void {
    const file = this.#file
    if (!file) return
    this.#attempt('the outcome of the reload could not be written', () =>
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
