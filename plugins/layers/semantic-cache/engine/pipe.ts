import type { Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'

/** Characters. No message comes near: a longer line means that the two sides are out of step. */
const LONGEST = 1 << 20

/** What takes the bytes. */
type Sink = Pick<Socket, 'destroyed'> & { write(lines: string): unknown }

/** Milliseconds that a message for which nobody waits may wait for others. */
const LATER_MS = 5

/**
 * Writes messages to a pipe, each a line of JSON: all of one turn of the event loop at once, because a write takes longer
 * than what most messages are about. They come out in the order in which they went in.
 */
export class PipeWriter<Message> {
  readonly #socket: Sink
  #lines = ''
  #soon = false
  #timer: NodeJS.Timeout | undefined

  constructor(socket: Sink) {
    this.#socket = socket
  }

  send(message: Message): void {
    this.#lines += `${JSON.stringify(message)}\n`
    if (this.#soon) return
    this.#soon = true
    setImmediate(() => this.#flush())
  }

  /** With the next one that is sent, or a little later. */
  sendLater(message: Message): void {
    this.#lines += `${JSON.stringify(message)}\n`
    if (!this.#soon) this.#timer ??= setTimeout(() => this.#flush(), LATER_MS)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#soon = false
    if (!this.#socket.destroyed) this.#socket.write(this.#lines)
    this.#lines = ''
  }
}

/** Calls `each` with every message that comes out of a pipe. Throws where what comes is none. */
export function pipeReader<Message>(each: (message: Message) => void): (chunk: Buffer) => void {
  const decoder = new StringDecoder()
  let rest = ''
  return chunk => {
    const lines = (rest + decoder.write(chunk)).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LONGEST) throw new RangeError('a message without an end')
    for (const line of lines) each(JSON.parse(line) as Message) // by the same version of this layer
  }
}
