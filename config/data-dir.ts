import { existsSync, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import envPaths from 'env-paths'
import { folderFault } from './folder-fault.ts'
import { SettingsError } from './problems.ts'
import { codeOf } from './toml-file.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** `SERVICE_DATA_DIR`, else the platform's folder for this user's data. Creates nothing. */
export function dataDirOf(env: Environment, cwd: string): string {
  const named = env.SERVICE_DATA_DIR
  return named ? resolve(cwd, named) : envPaths('deflector', { suffix: '' }).data
}

/** Throws where the folder is missing and cannot be made. Creates nothing. */
export function requireDataDir(dataDir: string): void {
  const fault = existsSync(dataDir) ? undefined : folderFault(dataDir)
  if (fault !== undefined) throw refusal(dataDir, fault)
}

/** Creates the folder if it is missing, for this user only. An existing folder keeps its mode. */
export function ensureDataDir(dataDir: string): void {
  requireDataDir(dataDir)
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw refusal(dataDir, codeOf(error))
  }
}

const refusal = (dataDir: string, code: string): SettingsError =>
  new SettingsError([
    `SERVICE_DATA_DIR: the data directory ${dataDir} cannot be created (${code}); set SERVICE_DATA_DIR to a folder that this user may write to`,
  ])

/** The folder for downloaded embedding models, if the environment names one. */
export const modelCacheDirOf = (env: Environment): string | undefined =>
  env.SERVICE_HF_CACHE_DIR || env.HF_HOME || undefined
