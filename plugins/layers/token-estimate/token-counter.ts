import { type ChildProcess, fork } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { timeSlice } from 'deflector'
import { z } from 'zod'
import type { ToChild } from './messages.ts'
import { packed } from './pieces.ts'

const counted = z.object({ id: z.number(), tokens: z.number() })

interface Waiting {
  resolve(tokens: number): void
  reject(why: Error): void
}

/** Counts tokens in a process of its own, which begins with the first count. */
export class TokenCounter {
  #child: ChildProcess | undefined
  #next = 0
  readonly #waiting = new Map<number, Waiting>()

  /** Tokens of all texts together. Rejects where the process cannot be had, or ends. */
  async count(texts: readonly string[]): Promise<number> {
    const child = this.#started()
    const id = this.#next++
    const tokens = new Promise<number>((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
    tokens.catch(() => {}) // the process may end while the texts are still being sent
    this.#hold(child)
    const sliced = timeSlice()
    for (const text of packed(texts)) {
      if (!this.#waiting.has(id)) break
      this.#send(child, { id, text })
      await sliced()
    }
    this.#send(child, { id, done: true })
    return tokens
  }

  get busy(): boolean {
    return this.#waiting.size > 0
  }

  /** Gives the process and its memory back; the next count begins another one. */
  rest(): void {
    const child = this.#child
    this.#ended(child, new Error('the tokenizer was stopped'))
    child?.kill('SIGKILL')
  }

  #started(): ChildProcess {
    if (this.#child) return this.#child
    // This file is `.ts` in a checkout and `.js` in the package; so is the child's.
    const own = fileURLToPath(import.meta.url)
    const file = fileURLToPath(new URL(`./child${extname(own)}`, import.meta.url))
    const child = fork(file, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    child.on('error', error => this.#ended(child, error))
    child.once('exit', (code, signal) => this.#ended(child, new Error(`the tokenizer ended (${signal ?? code})`)))
    child.on('message', message => {
      const { id, tokens } = counted.parse(message)
      this.#waiting.get(id)?.resolve(tokens)
      this.#waiting.delete(id)
      this.#hold(child)
    })
    this.#child = child
    return child
  }

  #send(child: ChildProcess, message: ToChild): void {
    if (child.connected) child.send(message, error => error && this.#ended(child, error))
  }

  /** While there is nothing to count, the child keeps no process alive. */
  #hold(child: ChildProcess): void {
    const hold = this.busy ? 'ref' : 'unref'
    child[hold]()
    child.channel?.[hold]()
  }

  #ended(child: ChildProcess | undefined, why: Error): void {
    if (this.#child !== child) return
    this.#child = undefined
    for (const { reject } of this.#waiting.values()) reject(why)
    this.#waiting.clear()
  }
}
