import { createRequire } from 'node:module'

interface Tensor {
  readonly data: ArrayLike<number | bigint>
}
type Outputs = Readonly<Record<string, Tensor>>
interface Session {
  run(inputs: Record<string, Tensor>): Promise<Outputs>
}
/** The little of onnxruntime-node 1.14 that is used; it has no types that this package could ask for. */
interface Runtime {
  readonly InferenceSession: {
    create(file: string, options: { intraOpNumThreads: number; interOpNumThreads: number }): Promise<Session>
  }
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor
}

/** The logit of one pair. Rejects with an `Error` where the model gives none. */
export type Logit = (ids: readonly number[], types: readonly number[]) => Promise<number>

/**
 * Opens the pair model. Never in a worker thread: the native library can be loaded by one thread of a process only.
 * Rejects with an `Error` that names the remedy.
 */
export async function openWeights(file: string): Promise<Logit> {
  const { InferenceSession, Tensor } = loadRuntime()
  // One pair is too little work to share, and a core more would be taken from the gateway. Of weights handed over in memory
  // this version overlooks the options, and a second thread spins.
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 })
  return async (ids, types) => {
    const tensor = (numbers: readonly number[]): Tensor =>
      new Tensor('int64', BigInt64Array.from(numbers, BigInt), [1, numbers.length])
    const outputs = await session.run({
      input_ids: tensor(ids),
      attention_mask: tensor(ids.map(() => 1)),
      token_type_ids: tensor(types),
    })
    return logitOf(outputs)
  }
}

/** Throws where there is none: a probability from nothing would look like one. */
export function logitOf({ logit }: Outputs): number {
  const value = Number(logit?.data[0])
  if (!Number.isFinite(value)) throw new Error(`the pair model gives no finite "logit", but ${logit?.data[0]}`)
  return value
}

/** The version that the library for other sentence models asks for, too: an install has one copy. */
const PACKAGE = 'onnxruntime-node'
const VERSION = '1.14.0'

function loadRuntime(): Runtime {
  try {
    return createRequire(import.meta.url)(PACKAGE) as Runtime // its CommonJS has no types that fit all of its versions
  } catch (cause) {
    throw new Error(
      `the pair model needs ${PACKAGE}: ${cause instanceof Error ? cause.message.split('\n')[0] : String(cause)}. ` +
        `Run "npm install ${PACKAGE}@${VERSION}", or set cache_mode to "exact", which needs no model`,
      { cause },
    )
  }
}
