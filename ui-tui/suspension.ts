import type { Screen } from './screen.ts'

/**
 * Ctrl-Z: the shell has its terminal back until the operator brings `top` to the front again. Where no shell waits, as
 * under `ssh -t`, `top` goes on at once.
 */
export class Suspension {
  readonly #screen: Screen

  constructor(screen: Screen) {
    this.#screen = screen
    process.on('SIGTSTP', this.#stop)
  }

  /** All of the job, as the shell waits for all of it: npx, too. */
  readonly ask = (): void => void process.kill(0, 'SIGTSTP')

  end(): void {
    process.off('SIGTSTP', this.#stop)
  }

  readonly #stop = (): void => {
    this.#screen.leave()
    setRawMode(false)
    // Without a listener the signal stops the process inside this call, and the kernel drops it where no shell waits.
    process.off('SIGTSTP', this.#stop)
    process.kill(process.pid, 'SIGTSTP')
    process.on('SIGTSTP', this.#stop)
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
