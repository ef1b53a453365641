import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A client that says exactly what a test wants said. */
export class RawClient {
  readonly socket: Socket
  /** Everything received so far. */
  text = ''
  #wake: (() => void) | undefined

  private constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setEncoding('utf8')
    this.socket.on('data', chunk => {
      this.text += chunk
      this.#wake?.()
    })
    this.socket.on('close', () => this.#wake?.())
    this.socket.on('error', () => {})
  }

  static async connect(port: number): Promise<RawClient> {
    const client = new RawClient(port)
    await once(client.socket, 'connect')
    return client
  }

  send(...lines: string[]): void {
    this.socket.write(lines.join('\r\n'))
  }

  /** Resolves with all text once `pattern` is in it; throws when the server hangs up before. */
  async until(pattern: RegExp): Promise<string> {
    while (!pattern.test(this.text)) {
      if (this.socket.destroyed) throw new Error(`the server hung up after ${JSON.stringify(this.text)}`)
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
    return this.text
  }

  /** Resolves with all text when the server has hung up. */
  async closed(): Promise<string> {
    if (!this.socket.destroyed) await once(this.socket, 'close')
    return this.text
  }
}

export interface Signal<T = void> {
  readonly fired: Promise<T>
  fire(value: T): void
}

/** A promise and what settles it: for tests that wait for the other side. */
export function signal<T = void>(): Signal<T> {
  let fire: (value: T) => void = () => {}
  const fired = new Promise<T>(resolve => {
    fire = resolve
  })
  return { fired, fire: value => fire(value) }
}
