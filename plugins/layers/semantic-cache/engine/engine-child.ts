import { type ChildProcess, spawn } from 'node:child_process'
import { Socket } from 'node:net'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { FromEngine, Parts, ToEngine } from './messages.ts'
import { PipeWriter, pipeReader } from './pipe.ts'

/** Place of the pipe among the child's files. A raw pipe, because a message over node's own channel takes ten times as long. */
const PIPE = 3

export interface EngineChildEvents {
  message(message: FromEngine): void
  /** Once, whatever ended it. `how` is for the log. */
  ended(how: string): void
}

/** One running engine. */
export class EngineChild {
  readonly #process: ChildProcess
  readonly #writer: PipeWriter<ToEngine>
  #ended = false

  /** Throws where the system gives no process; `ended` then hears nothing. */
  constructor(parts: Parts, { message, ended }: EngineChildEvents) {
    // This file is `.ts` in a checkout and `.js` in the package; so is the child's.
    const own = fileURLToPath(import.meta.url)
    const file = fileURLToPath(new URL(`./child${extname(own)}`, import.meta.url))
    const flags = childFlags(process.execArgv)
    this.#process = spawn(process.execPath, [...flags, file], { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    // First of all, because an `error` that nobody hears ends this process.
    this.#process.once('error', error => end(error.message))
    this.#process.once('exit', (code, signal) => end(`it ended (${signal ?? `exit ${code}`})`))
    // Where there are no file descriptors left, Node gives a process without files, which its types do not say.
    const { stdio }: { readonly stdio?: ChildProcess['stdio'] } = this.#process
    const pipe = stdio?.[PIPE]
    const end = (how: string): void => {
      if (this.#ended) return
      this.#ended = true
      pipe?.destroy()
      this.#process.kill('SIGKILL')
      ended(how)
    }
    if (!(pipe instanceof Socket)) {
      this.#ended = true
      throw new Error('the system gave the semantic engine no process')
    }
    this.#writer = new PipeWriter(pipe)
    const read = pipeReader<FromEngine>(one => {
      if (!this.#ended) message(one)
    })
    pipe.on('data', chunk => {
      try {
        read(chunk)
      } catch {
        end('its messages cannot be read')
      }
    })
    // The exit that follows says more.
    pipe.on('error', () => {})
    this.send({ is: 'open', parts })
  }

  send(message: ToEngine): void {
    this.#writer.send(message)
  }

  /** What the next lookup has to know of, and nobody waits for. */
  sendLater(message: ToEngine): void {
    this.#writer.sendLater(message)
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Ends it; `ended` hears of it when it is gone. One that hangs in native code reacts to no other signal. */
  kill(): void {
    this.#process.kill('SIGKILL')
  }
}

/** What decides how modules are found and loaded. */
const LOADING = { conditions: { short: 'C' }, import: {}, loader: {}, 'experimental-loader': {} } as const
/** Limits of memory, with `-` or `_` between their words. */
const MEMORY = /^max[-_](old|semi)[-_]space[-_]size$/

/**
 * The flags of this process that its child needs too. With all of them it would run what `--eval` says, or want the same
 * port for its debugger.
 */
export function childFlags(execArgv: readonly string[]): string[] {
  const options = Object.fromEntries(
    Object.entries(LOADING).map(([name, more]) => [name, { type: 'string' as const, ...more }]),
  )
  const { tokens } = parseArgs({ args: [...execArgv], options, strict: false, tokens: true })
  return tokens.flatMap(token =>
    token.kind === 'option' && token.value !== undefined && (token.name in LOADING || MEMORY.test(token.name))
      ? [`--${token.name}=${token.value}`]
      : [],
  )
}
