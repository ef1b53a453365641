import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import envPaths from 'env-paths'
import { SettingsError } from './problems.ts'
import { codeOf } from './toml-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `SERVICE_DATA_DIR`, else the platform's folder for this user's data. Nothing is created. */
export function dataDirOf(env: Environment, cwd: string): string {
  const named = env.SERVICE_DATA_DIR
  return named ? resolve(cwd, named) : envPaths('deflector', { suffix: '' }).data
}

/** Makes the folder if it is not there, for this user only. A folder that is there keeps its modes. */
export function ensureDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new SettingsError([
      `SERVICE_DATA_DIR: the data directory ${dataDir} cannot be made (${codeOf(error)}); set SERVICE_DATA_DIR to a folder that this user may write to`,
    ])
  }
}

/** Where downloaded embedding models are kept, if the operator says so. */
export const modelCacheDirOf = (env: Environment): string | undefined =>
  env.SERVICE_HF_CACHE_DIR || env.HF_HOME || undefined
