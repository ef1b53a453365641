import { type Field, fields, text } from './protobuf.ts'

/** Rows of int8 numbers, one a token. A row means `(number - zeroPoint[column]) * scale[column]`. */
export interface TokenTable {
  readonly rows: number
  readonly dimensions: number
  /** Row after row: a view on the file's bytes. */
  readonly numbers: Int8Array
  /** One number for all columns, or one a column. */
  readonly scale: Float32Array
  readonly zeroPoint: Int8Array
}

/** The graph of a static model; any other graph is a model for another plugin. */
const SHAPE = 'Gather(int8 table, input_ids) -> DequantizeLinear -> last_hidden_state'

const FLOAT = 1
const INT8 = 3

interface Tensor {
  readonly dims: readonly number[]
  readonly type: number
  readonly raw: Uint8Array
}

interface Node {
  readonly op: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly axis: number | undefined
}

/**
 * The token table inside an ONNX file (field numbers as in onnx.proto3). Throws an `Error` that says what was found in
 * place of the graph that a static model has.
 */
export function readTokenTable(file: Uint8Array): TokenTable {
  const { nodes, tensors } = readGraph(file)
  const [gather, dequantize, ...others] = nodes
  if (gather?.op !== 'Gather' || dequantize?.op !== 'DequantizeLinear' || others.length > 0)
    throw new Error(`its graph is ${nodes.map(node => node.op).join(' -> ') || 'empty'}, not ${SHAPE}`)
  const [tableName = '', ids] = gather.inputs
  const [gathered, scaleName = '', zeroName = ''] = dequantize.inputs
  if (ids !== 'input_ids' || gathered !== gather.outputs[0] || (gather.axis ?? 0) !== 0)
    throw new Error(`its graph is not wired as ${SHAPE}`)

  const table = tensors.get(tableName)
  const scale = tensors.get(scaleName)
  const zero = tensors.get(zeroName)
  const [rows = 0, dimensions = 0] = table?.dims ?? []
  if (table?.type !== INT8 || table.dims.length !== 2 || table.raw.length !== rows * dimensions)
    throw new Error('its table is not a whole int8 matrix')
  // A scale a column is one along the last of [batch, token, column].
  const perColumn = scale !== undefined && scale.dims.length > 0 && [2, -1].includes(signed(dequantize.axis ?? 1))
  const count = perColumn ? dimensions : 1
  if (scale?.type !== FLOAT || scale.raw.length !== count * 4 || (zero && zero.raw.length !== count))
    throw new Error('its scale is neither one float32 nor one a column')
  if (zero && zero.type !== INT8) throw new Error('its zero point is not int8')
  return {
    rows,
    dimensions,
    numbers: int8(table.raw),
    scale: floats(scale.raw),
    zeroPoint: zero ? int8(zero.raw) : new Int8Array(count),
  }
}

function readGraph(file: Uint8Array): { nodes: Node[]; tensors: Map<string, Tensor> } {
  const nodes: Node[] = []
  const tensors = new Map<string, Tensor>()
  for (const model of fields(file)) {
    if (model.number !== 7) continue
    for (const part of fields(model.bytes)) {
      if (part.number === 1) nodes.push(readNode(part.bytes))
      if (part.number === 5) {
        const { name, ...tensor } = readTensor(part.bytes)
        tensors.set(name, tensor)
      }
    }
  }
  return { nodes, tensors }
}

function readNode(message: Uint8Array): Node {
  const all = [...fields(message)]
  const texts = (number: number): string[] => all.filter(f => f.number === number).map(f => text(f.bytes))
  return { inputs: texts(1), outputs: texts(2), op: texts(4)[0] ?? '', axis: axisIn(all) }
}

function axisIn(node: readonly Field[]): number | undefined {
  for (const attribute of node) {
    if (attribute.number !== 5) continue
    const parts = [...fields(attribute.bytes)]
    if (parts.some(part => part.number === 1 && text(part.bytes) === 'axis'))
      return parts.find(part => part.number === 3)?.value ?? 0
  }
  return undefined
}

function readTensor(message: Uint8Array): Tensor & { name: string } {
  const dims: number[] = []
  let name = ''
  let type = 0
  let raw: Uint8Array = new Uint8Array(0)
  for (const field of fields(message)) {
    // A list of numbers may come packed into one field.
    if (field.number === 1) dims.push(...(field.wire === 2 ? varints(field.bytes) : [field.value]))
    if (field.number === 2) type = field.value
    if (field.number === 8) name = text(field.bytes)
    if (field.number === 9) raw = field.bytes
  }
  return { name, dims, type, raw }
}

function varints(packed: Uint8Array): number[] {
  const values: number[] = []
  let [value, factor] = [0, 1]
  for (const byte of packed) {
    value += (byte & 127) * factor
    factor *= 128
    if (byte < 128) {
      values.push(value)
      ;[value, factor] = [0, 1]
    }
  }
  return values
}

/** A negative int64 is written as 2^64 less its amount, which a double rounds: only -1 is of interest here. */
const signed = (value: number): number => (value >= 2 ** 63 ? -1 : value)

const int8 = (bytes: Uint8Array): Int8Array => new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Little-endian as ONNX says; copied, as it may begin anywhere. */
function floats(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Float32Array.from({ length: bytes.length / 4 }, (_, i) => view.getFloat32(i * 4, true))
}
