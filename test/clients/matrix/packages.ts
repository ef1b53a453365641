import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Exact versions of packages of npm. They live in a cache folder of the user, never in this repository. */
export const NODE_PACKAGES: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': '4.0.105',
  '@ai-sdk/google': '4.0.121',
  '@ai-sdk/openai': '4.0.118',
  '@anthropic-ai/sdk': '1.12.0',
  '@google/genai': '3.1.0',
  '@langchain/anthropic': '1.5.11',
  '@langchain/core': '1.4.0',
  '@langchain/google-genai': '2.3.2',
  '@langchain/openai': '1.6.0',
  ai: '7.0.173',
  openai: '7.57.0',
  zod: '4.6.7',
}

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'deflector', 'clients')

/** A folder of the cache that holds exactly these packages; `fill` runs only where they changed. */
function folderWith(name: string, packages: Readonly<Record<string, string>>, fill: (folder: string) => void): string {
  const folder = join(CACHE, name)
  const list = join(folder, 'installed.json')
  const wanted = JSON.stringify(packages)
  if (existsSync(list) && readFileSync(list, 'utf8') === wanted) return folder
  mkdirSync(folder, { recursive: true })
  fill(folder)
  writeFileSync(list, wanted)
  return folder
}

/** Packages of npm; no script of theirs runs. */
export const nodeFolder = (name: string, packages: Readonly<Record<string, string>>): string =>
  folderWith(name, packages, folder => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
    execFileSync('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], {
      cwd: folder,
      stdio: 'inherit',
    })
  })

let required: NodeJS.Require | undefined

/** A module of the cache. Its types are not known here, so each client says what it reads of it. */
export function load(name: string) {
  required ??= createRequire(join(nodeFolder('js', NODE_PACKAGES), 'package.json'))
  return import(pathToFileURL(required.resolve(name)).href)
}
