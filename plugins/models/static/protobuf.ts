/** One field of a protobuf message: a varint has a `value`, every other wire type has `bytes`. */
export interface Field {
  readonly number: number
  readonly wire: number
  readonly value: number
  readonly bytes: Uint8Array
}

const NOTHING = new Uint8Array(0)
const FIXED: Readonly<Record<number, number>> = { 1: 8, 5: 4 }

/**
 * The fields of one message, in order, without a schema: enough to find a table in an ONNX file. Byte fields are views,
 * nothing is copied. Throws `RangeError` when the message is cut short. Wire format: protobuf.dev, "Encoding".
 */
export function* fields(message: Uint8Array): Generator<Field> {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = message[at++]
      // A varint has at most ten bytes. Past 2^53 the value is rounded, which matters only to 64-bit constants.
      if (byte === undefined || factor > 2 ** 63) throw new RangeError('the message is cut short')
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  while (at < message.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    const wire = tag % 8
    if (wire === 0) {
      yield { number, wire, value: varint(), bytes: NOTHING }
      continue
    }
    const length = wire === 2 ? varint() : FIXED[wire]
    if (length === undefined || at + length > message.length) throw new RangeError('the message is cut short')
    yield { number, wire, value: 0, bytes: message.subarray(at, at + length) }
    at += length
  }
}

export const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
