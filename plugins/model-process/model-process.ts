import { type ChildProcess, fork } from 'node:child_process'
import type { Clock, Log } from 'deflector'
import { LoadFailure } from './load-failure.ts'
import type { Loading, LoadMessage } from './messages.ts'

/** Shortest time between two restarts. */
const RESTART_MS = 60_000
/** Loading takes a second and a download reports its progress, so a silence of this length is a failure. */
const SILENCE_MS = 120_000

interface Options<Load extends LoadMessage, Said> {
  /** Names the process in messages: `embedding`. */
  readonly work: string
  /** The file that runs in the process. */
  readonly module: string
  /** Its first message, which it answers as `Loading` says. */
  readonly load: Load
  readonly clock: Clock
  readonly log: Log
  /** What it says once it is ready. */
  readonly onMessage: (message: Said) => void
  /** It died. Where it is not `starting` again, what waits fails. */
  readonly onDeath: (how: string, starting: boolean) => void
  /** It is ready again. */
  readonly onReturn: () => void
  /** It could not be started again. */
  readonly onLoss: (how: string) => void
}

/** The life of a process with a model: started, killed when it hangs, and started again at most once a minute. */
export class ModelProcess<Load extends LoadMessage, Asked, Ready extends object, Said> {
  readonly #options: Options<Load, Said>
  #running: { readonly process: ChildProcess; readonly ready: Ready } | undefined
  #starting: Promise<void> | undefined
  #diedAt = Number.NEGATIVE_INFINITY
  /** Why it was killed, as its death is explained. */
  #killedFor: string | undefined
  #closed = false

  constructor(options: Options<Load, Said>) {
    this.#options = options
  }

  /** What the running process said of its model; absent while none runs. */
  get ready(): Ready | undefined {
    return this.#running?.ready
  }

  get pid(): number | undefined {
    return this.#running?.process.pid
  }

  /** Resolves when the model is loaded; rejects with `LoadFailure`. */
  start(): Promise<void> {
    if (this.#running) return Promise.resolve()
    this.#starting ??= this.#spawn().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  /** Why nothing can be asked of it now; starts it again where that may be. */
  get away(): string | undefined {
    if (this.#running) return undefined
    return `the ${this.#options.work} process is ${this.#restart() ? 'starting' : 'down'}`
  }

  send(message: Asked & object): void {
    // The exit of a dead process is handled elsewhere, so a failed write is ignored.
    this.#running?.process.send(message, () => {})
  }

  /** One that hangs in native code, or is stopped, reacts to no other signal. */
  kill(why: string): void {
    this.#killedFor = why
    this.#running?.process.kill('SIGKILL')
  }

  close(): void {
    this.#closed = true
    const running = this.#running
    this.#running = undefined
    running?.process.kill('SIGKILL')
  }

  #died(code: number | null, signal: NodeJS.Signals | null): void {
    const { work, log, onDeath } = this.#options
    this.#running = undefined
    const how = `the ${work} process ${this.#killedFor ?? `ended (${signal ?? `exit ${code}`})`}`
    this.#killedFor = undefined
    const starting = this.#restart()
    if (!this.#closed) log.warn(how, { again: starting })
    onDeath(how, starting)
  }

  /** Starts a new one unless the last one died within `RESTART_MS`. True when one is starting. */
  #restart(): boolean {
    if (this.#closed) return false
    if (this.#starting) return true
    const { work, clock, log, onReturn, onLoss } = this.#options
    const now = clock.now()
    if (now - this.#diedAt < RESTART_MS) return false
    this.#diedAt = now
    this.start().then(onReturn, (error: Error) => {
      log.warn(`the ${work} process did not start again`, { why: error.message })
      onLoss(`the ${work} process is down`)
    })
    return true
  }

  #spawn(): Promise<void> {
    const { work, module, load, clock, log, onMessage } = this.#options
    const child = fork(module, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
    let lastMessageAt = clock.now()
    const watch = new AbortController()
    return new Promise<void>((resolve, reject) => {
      const failed = (failure: LoadFailure): void => {
        watch.abort()
        removeListeners(child)
        child.kill('SIGKILL')
        reject(failure)
      }
      const silence = async (): Promise<void> => {
        while (clock.now() - lastMessageAt < SILENCE_MS)
          await clock.sleep(SILENCE_MS - (clock.now() - lastMessageAt), watch.signal)
        failed(new LoadFailure('silent', `it reported nothing for ${SILENCE_MS / 1000} s`))
      }
      silence().catch(() => {})
      const progress = progressLog(work, log)
      child.on('error', error => failed(new LoadFailure('crashed', error.message)))
      child.once('exit', (code, signal) => failed(new LoadFailure('crashed', `it ended with ${signal ?? code}`)))
      child.on('message', (message: Loading<Ready>) => {
        lastMessageAt = clock.now()
        if (message.type === 'progress') progress(message.file, message.percent)
        if (message.type === 'unready') failed(new LoadFailure(message.why, message.message))
        if (message.type !== 'ready') return
        watch.abort()
        removeListeners(child)
        if (this.#closed) {
          child.kill('SIGKILL')
          return reject(new LoadFailure('crashed', 'it was closed'))
        }
        child.on('message', onMessage)
        child.once('exit', (code, signal) => this.#died(code, signal))
        this.#running = { process: child, ready: message }
        resolve()
      })
      child.send(load)
    })
  }
}

/** Removes only our own listeners: the channel to the child has others that it needs. */
function removeListeners(child: ChildProcess): void {
  for (const event of ['message', 'exit', 'error']) child.removeAllListeners(event)
  child.on('error', () => {})
}

/** Logs one line for every tenth of a file. */
function progressLog(work: string, log: Log): (file: string, percent: number) => void {
  const logged = new Map<string, number>()
  return (file, percent) => {
    const tenth = Math.floor(percent / 10)
    if (tenth <= (logged.get(file) ?? 0)) return
    logged.set(file, tenth)
    log.info(`downloading the ${work} model`, { file, percent: tenth * 10 })
  }
}
