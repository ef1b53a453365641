import { createHash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { WordPieces } from 'deflector/formats/word-pieces'
import { z } from 'zod'
import { readTokenTable, type TokenTable } from './token-table.ts'

/** Tokens of a text that count, the special ones included (specification, "Limits"). */
const MAX_TOKENS = 512

/** Of `tokenizer_config.json` only the length matters here. */
const tokenizerConfig = z.object({ model_max_length: z.number().positive().default(MAX_TOKENS) })
const modelConfig = z.object({ hidden_size: z.number().int().positive() })

/**
 * A sentence model without a network: the vector of a text is the mean of its tokens' rows, brought to unit length.
 * The folder holds what the transformers libraries load too: `config.json`, `tokenizer.json`, `tokenizer_config.json`
 * and `onnx/model_quantized.onnx`.
 */
export class StaticModel {
  readonly dimensions: number
  /** SHA-256 over tokenizer and table, 16 hex digits: vectors of equal fingerprints may be compared. */
  readonly fingerprint: string
  readonly #pieces: WordPieces
  readonly #table: TokenTable
  readonly #sums: Int32Array

  private constructor(pieces: WordPieces, table: TokenTable, fingerprint: string) {
    if (pieces.largestId >= table.rows)
      throw new Error(`the tokenizer knows ${pieces.largestId + 1} tokens, the table ${table.rows}`)
    this.dimensions = table.dimensions
    this.fingerprint = fingerprint
    this.#pieces = pieces
    this.#table = table
    this.#sums = new Int32Array(table.dimensions)
  }

  /** Reads about 12 MB synchronously, so call it at the start only. Throws an `Error` that names file and fault. */
  static open(folder: string): StaticModel {
    // Otherwise the error would name a missing file in the missing folder.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`there is no folder ${folder}`)
    const hash = createHash('sha256')
    const read = <T>(file: string, parse: (bytes: Buffer) => T): T => {
      try {
        return parse(readFileSync(join(folder, file)))
      } catch (error) {
        throw new Error(`${join(folder, file)}: ${reason(error)}`, { cause: error })
      }
    }
    const json = (bytes: Buffer): unknown => JSON.parse(bytes.toString('utf8'))
    const { hidden_size } = read('config.json', bytes => modelConfig.parse(json(bytes)))
    const { model_max_length } = read('tokenizer_config.json', bytes => tokenizerConfig.parse(json(bytes)))
    const pieces = read('tokenizer.json', bytes => {
      hash.update(bytes)
      return new WordPieces(json(bytes), Math.min(model_max_length, MAX_TOKENS))
    })
    const table = read('onnx/model_quantized.onnx', bytes => {
      hash.update(bytes)
      return readTokenTable(bytes)
    })
    if (hidden_size !== table.dimensions)
      throw new Error(`config.json says ${hidden_size} dimensions, the table has ${table.dimensions}`)
    return new StaticModel(pieces, table, hash.digest('hex').slice(0, 16))
  }

  embed(text: string): Float32Array {
    const { numbers, dimensions, scale, zeroPoint } = this.#table
    const sums = this.#sums.fill(0)
    const ids = this.#pieces.encode(text)
    for (const id of ids) {
      const at = id * dimensions
      // Indices are within by construction; `| 0` keeps the sum an integer where the type could be undefined.
      for (let i = 0; i < dimensions; i++) sums[i] = ((sums[i] as number) + (numbers[at + i] as number)) | 0
    }
    const perColumn = scale.length > 1
    const vector = new Float32Array(dimensions)
    let square = 0
    for (let i = 0; i < dimensions; i++) {
      const column = perColumn ? i : 0
      // The sum serves as the mean, because the vector is normalised below.
      const value = ((sums[i] ?? 0) - ids.length * (zeroPoint[column] ?? 0)) * (scale[column] ?? 0)
      vector[i] = value
      square += value * value
    }
    const factor = square > 0 ? 1 / Math.sqrt(square) : 0
    for (let i = 0; i < dimensions; i++) vector[i] = (vector[i] as number) * factor
    return vector
  }
}

function reason(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error).replaceAll('\n', ' ')
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && error.code === 'ENOENT' ? 'is missing' : error.message
}
