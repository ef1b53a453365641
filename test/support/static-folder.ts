import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempFolder } from './opened.ts'

/** A message of protobuf fields; a number is a varint, everything else its bytes. */
export function message(...fields: readonly (readonly [number, number | string | Uint8Array])[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number') return [varint(number * 8), varint(value)]
    const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value
    return [varint(number * 8 + 2), varint(bytes.length), bytes]
  })
  return new Uint8Array(Buffer.concat(parts))
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (; value > 127; value = Math.floor(value / 128)) bytes.push((value % 128) + 128)
  return Uint8Array.of(...bytes, value)
}

export interface Graph {
  readonly rows: number
  readonly dimensions: number
  readonly numbers: Int8Array
  readonly scale?: readonly number[]
  readonly zeroPoint?: readonly number[]
  /** Operators in order. */
  readonly ops?: readonly [string, string]
}

/** An ONNX file as static models have it. */
export function onnx({ rows, dimensions, numbers, scale = [0.01], zeroPoint, ops }: Graph): Uint8Array {
  const perColumn = scale.length > 1
  const tensor = (name: string, type: number, dims: readonly number[], raw: Uint8Array): Uint8Array =>
    message(...dims.map(size => [1, size] as const), [2, type], [8, name], [9, raw])
  const dims = perColumn ? [dimensions] : []
  const zero = zeroPoint && tensor('zero', 3, dims, new Uint8Array(Int8Array.from(zeroPoint).buffer))
  const axis = message([1, 'axis'], [3, 2], [20, 2])
  const node = (op: string, inputs: readonly string[], output: string, attribute?: Uint8Array): Uint8Array =>
    message(
      ...inputs.map(input => [1, input] as const),
      [2, output],
      [4, op],
      ...(attribute ? [[5, attribute] as const] : []),
    )
  const value = (name: string, type: number, shape: readonly (string | number)[]): Uint8Array => {
    const sizes = shape.map(size => [1, typeof size === 'string' ? message([2, size]) : message([1, size])] as const)
    return message([1, name], [2, message([1, message([1, type], [2, message(...sizes)])])])
  }
  const graph = message(
    [1, node(ops?.[0] ?? 'Gather', ['table', 'input_ids'], 'gathered')],
    [
      1,
      node(
        ops?.[1] ?? 'DequantizeLinear',
        ['gathered', 'scale', ...(zero ? ['zero'] : [])],
        'last_hidden_state',
        perColumn ? axis : undefined,
      ),
    ],
    [2, 'static'],
    [5, tensor('table', 3, [rows, dimensions], new Uint8Array(numbers.buffer))],
    [5, tensor('scale', 1, dims, new Uint8Array(Float32Array.from(scale).buffer))],
    ...(zero ? [[5, zero] as const] : []),
    [11, value('input_ids', 7, ['batch', 'tokens'])],
    [12, value('last_hidden_state', 1, ['batch', 'tokens', dimensions])],
  )
  return message([1, 7], [7, graph], [8, message([2, 13])])
}

const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']

/** A `tokenizer.json` like BERT's, with these tokens behind the special ones. */
export function tokenizerJson(tokens: readonly string[]): Record<string, unknown> {
  const vocab = Object.fromEntries([...SPECIAL, ...tokens].map((token, id) => [token, id]))
  const special = (id: string): object => ({ SpecialToken: { id, type_id: 0 } })
  return {
    version: '1.0',
    added_tokens: SPECIAL.map((content, id) => ({ id, content, special: true, normalized: false })),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single: [special('[CLS]'), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]')],
      pair: [],
      special_tokens: { '[CLS]': { id: '[CLS]', ids: [2] }, '[SEP]': { id: '[SEP]', ids: [3] } },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab,
    },
  }
}

/** Writes the four files of a model whose row of token n is all n, but for its own column, which is 100. */
export function staticFolder(tokens: readonly string[], dimensions = 384): string {
  const folder = tempFolder('model')
  const rows = SPECIAL.length + tokens.length
  const numbers = new Int8Array(rows * dimensions)
  for (let row = 0; row < rows; row++) {
    numbers.fill(row, row * dimensions, (row + 1) * dimensions)
    numbers[row * dimensions + row] = 100
  }
  const json = (file: string, value: unknown): void => writeFileSync(join(folder, file), JSON.stringify(value))
  mkdirSync(join(folder, 'onnx'))
  json('config.json', { model_type: 'bert', hidden_size: dimensions })
  json('tokenizer_config.json', {
    tokenizer_class: 'BertTokenizer',
    model_max_length: 512,
    pad_token: '[PAD]',
    unk_token: '[UNK]',
  })
  json('tokenizer.json', tokenizerJson(tokens))
  writeFileSync(join(folder, 'onnx', 'model_quantized.onnx'), onnx({ rows, dimensions, numbers }))
  return folder
}
