import type { Socket } from 'node:net'

/** Bytes of a frame before its fields: length of what follows the length, then its kind. */
const HEAD = 5
const LENGTH = 4
/** Nothing that this layer sends comes near: a longer frame means that the two sides are out of step. */
const LARGEST = 1 << 20

/** What takes the bytes. */
type Sink = Pick<Socket, 'destroyed'> & { write(bytes: Buffer): unknown }

/**
 * Writes frames to a pipe: all of one turn of the event loop at once, because a write takes longer than what most frames
 * are about. Numbers are little-endian; texts and vectors have their length before them.
 */
export class FrameWriter {
  readonly #socket: Sink
  #bytes = Buffer.allocUnsafe(16 << 10)
  #at = 0
  #began = 0
  #due = false

  constructor(socket: Sink) {
    this.#socket = socket
  }

  begin(kind: number): this {
    this.#began = this.#at
    this.#at += LENGTH
    return this.u8(kind)
  }

  u8(value: number): this {
    this.#room(1)
    this.#bytes[this.#at++] = value
    return this
  }

  u32(value: number): this {
    this.#room(4)
    this.#at = this.#bytes.writeUInt32LE(value, this.#at)
    return this
  }

  f64(value: number): this {
    this.#room(8)
    this.#at = this.#bytes.writeDoubleLE(value, this.#at)
    return this
  }

  text(value: string): this {
    this.#room(4 + 3 * value.length)
    const length = this.#bytes.write(value, this.#at + 4)
    this.#bytes.writeUInt32LE(length, this.#at)
    this.#at += 4 + length
    return this
  }

  /** An absent vector has no numbers. */
  vector(value: Float32Array | undefined): this {
    if (!value) return this.u32(0)
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    this.u32(bytes.length)
    this.#room(bytes.length)
    this.#at += bytes.copy(this.#bytes, this.#at)
    return this
  }

  end(): void {
    this.#bytes.writeUInt32LE(this.#at - this.#began - LENGTH, this.#began)
    if (this.#due) return
    this.#due = true
    setImmediate(() => this.flush())
  }

  /** Writes what waits, now. */
  flush(): void {
    this.#due = false
    if (this.#at === 0) return
    // A copy, because a pipe that is full takes its bytes later.
    if (!this.#socket.destroyed) this.#socket.write(Buffer.from(this.#bytes.subarray(0, this.#at)))
    this.#at = 0
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(2 * (this.#at + bytes))
    this.#bytes.copy(larger, 0, 0, this.#at)
    this.#bytes = larger
  }
}

/** The fields of one frame, in the order in which they were written. */
export class FrameFields {
  #bytes: Buffer
  #at: number

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes
    this.#at = at
  }

  u8(): number {
    return this.#bytes.readUInt8(this.#at++)
  }

  u32(): number {
    this.#at += 4
    return this.#bytes.readUInt32LE(this.#at - 4)
  }

  f64(): number {
    this.#at += 8
    return this.#bytes.readDoubleLE(this.#at - 8)
  }

  text(): string {
    const length = this.u32()
    this.#at += length
    return this.#bytes.toString('utf8', this.#at - length, this.#at)
  }

  vector(): Float32Array | undefined {
    const length = this.u32()
    if (length === 0) return undefined
    this.#at += length
    // Copied, because a vector begins at a multiple of four bytes.
    return new Float32Array(Uint8Array.from(this.#bytes.subarray(this.#at - length, this.#at)).buffer)
  }
}

/** Calls `each` with every frame that comes out of a pipe. Throws a `RangeError` where what comes is not a frame. */
export function frameReader(each: (kind: number, fields: FrameFields) => void): (chunk: Buffer) => void {
  let rest: Buffer | undefined
  return chunk => {
    const bytes = rest ? Buffer.concat([rest, chunk]) : chunk
    let at = 0
    while (bytes.length - at >= HEAD) {
      const length = bytes.readUInt32LE(at)
      if (length > LARGEST) throw new RangeError(`a frame of ${length} bytes`)
      if (bytes.length - at - LENGTH < length) break
      each(bytes.readUInt8(at + LENGTH), new FrameFields(bytes, at + HEAD))
      at += LENGTH + length
    }
    rest = at < bytes.length ? bytes.subarray(at) : undefined
  }
}
