import type { Screen } from './screen.ts'

/** Ctrl-Z: the shell has its terminal back until the operator brings `top` to the front again. */
export class Suspension {
  readonly #screen: Screen
  #stopped = false

  constructor(screen: Screen) {
    this.#screen = screen
    process.on('SIGTSTP', this.#stop)
    process.on('SIGCONT', this.#goOn)
  }

  /** All of the job, as the shell waits for all of it: npx, too. */
  readonly ask = (): void => void process.kill(0, 'SIGTSTP')

  end(): void {
    process.off('SIGTSTP', this.#stop)
    process.off('SIGCONT', this.#goOn)
  }

  readonly #stop = (): void => {
    this.#stopped = true
    this.#screen.leave()
    setRawMode(false)
    process.kill(process.pid, 'SIGSTOP')
  }

  readonly #goOn = (): void => {
    if (!this.#stopped) return
    this.#stopped = false
    setRawMode(true)
    this.#screen.enter()
    this.#screen.emit('resize')
    // Only the program in front is told of another size.
    process.kill(process.pid, 'SIGWINCH')
  }
}

/** In raw mode keys come as they are pressed, and Ctrl-Z is one of them. */
export function setRawMode(raw: boolean): void {
  try {
    process.stdin.setRawMode(raw)
  } catch {
    // The terminal is gone.
  }
}
