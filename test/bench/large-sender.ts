import { type ChildProcess, fork } from 'node:child_process'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { Shape } from './histories.ts'

const program = fileURLToPath(new URL('./large-process.ts', import.meta.url))
/** It gives way to those who are measured: its time is none of theirs. */
const PRIORITY = 10

/** How many bodies of 10 MB one sender may send: the next one numbers its own from there. */
const MOST = 10_000
let senders = 0

/** A process that sends bodies of 10 MB. Within the measuring process they would delay what is measured. */
export class LargeSender {
  readonly #process: ChildProcess

  /** Bytes of each body. */
  readonly size: number

  private constructor(process: ChildProcess, size: number) {
    this.#process = process
    this.size = size
  }

  /** `again`: the same body each time. */
  static async open(port: number, shape: Shape, again: boolean): Promise<LargeSender> {
    const args = [String(port), shape, again ? 'again' : 'new', String(MOST * senders++)]
    const process = fork(program, args, { execArgv: globalThis.process.execArgv })
    const size = await said(process)
    if (process.pid !== undefined) setPriority(process.pid, PRIORITY)
    return new LargeSender(process, size)
  }

  /** Sends while `work` is done. Gives what `work` gave, and how many bodies were sent. */
  async during<T>(work: () => Promise<T>): Promise<readonly [done: T, sent: number]> {
    this.#process.send('start')
    const done = await work()
    const sent = said(this.#process)
    this.#process.send('stop')
    return [done, await sent]
  }

  async one(): Promise<void> {
    this.#process.send('one')
    await said(this.#process)
  }

  close(): void {
    this.#process.kill()
  }
}

const said = (process: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    const left = (): void => reject(new Error('the sender of large bodies has ended'))
    process.once('exit', left).once('message', message => {
      process.off('exit', left)
      resolve(Number(message))
    })
  })
