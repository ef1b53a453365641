import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Why a process could not load its model. */
export class LoadFailure extends Error {
  override readonly name = 'LoadFailure'
  constructor(
    readonly why: 'missing_library' | 'broken_library' | 'no_model' | 'crashed' | 'silent',
    message: string,
  ) {
    super(message)
  }
}

/** The folder for downloads: `configured`, or the hub's own cache. */
export const cacheFolder = (configured: string | undefined): string =>
  resolve(configured ?? join(homedir(), '.cache', 'huggingface'))

interface Wanted {
  /** Names the model in the message: `embedding model "x"`. */
  readonly model: string
  readonly cacheDir: string
  /** The file without which there is no model. */
  readonly weights: string
  /** Memory that it takes, as in `256 MB of memory`. */
  readonly memory: string
  /** Settings that need no such model. */
  readonly instead: string
}

const REMEDIES: Readonly<Record<LoadFailure['why'], (wanted: Wanted) => string>> = {
  missing_library: () => 'Install it (npm install @xenova/transformers@2.17.2)',
  broken_library: () => 'Install it anew (npm install @xenova/transformers@2.17.2), with its optional parts',
  no_model: ({ weights, cacheDir }) =>
    `Check that the name is a folder or hub id with ${weights}, that the hub can be reached and that ${cacheDir} is writable and not corrupt`,
  crashed: ({ memory }) => `Check that ${memory} is free`,
  silent: () => 'Check the connection to the hub',
}

/** What an operator reads when a model cannot be loaded: why, and what to do. */
export function startError(wanted: Wanted, error: unknown): Error {
  const message = error instanceof Error ? error.message : String(error)
  const remedy = REMEDIES[error instanceof LoadFailure ? error.why : 'no_model'](wanted)
  return new Error(`the ${wanted.model} cannot be loaded: ${message}. ${remedy}, or ${wanted.instead}`, {
    cause: error,
  })
}
