import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Exact versions of packages of npm. They live in a cache folder of the user, never in this repository. */
export const NODE_PACKAGES = {
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
} as const

/** Exact versions of packages of PyPI, in the same cache. */
export const PYTHON_PACKAGES = {
  anthropic: '2.12.0',
  'google-genai': '3.4.0',
  'langchain-anthropic': '1.7.7',
  'langchain-openai': '1.7.3',
  openai: '3.54.0',
} as const

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

/** `python3` with all that a virtual environment needs. */
export const hasPython = (): boolean => spawnSync('python3', ['-c', 'import ensurepip, venv']).status === 0

/** Packages of PyPI in a virtual environment; they come built, so that no script of theirs runs. */
export const pythonFolder = (name: string, packages: Readonly<Record<string, string>>): string =>
  folderWith(name, packages, folder => {
    execFileSync('python3', ['-m', 'venv', '--clear', folder], { stdio: 'inherit' })
    const wanted = Object.entries(packages).map(([each, version]) => `${each}==${version}`)
    const install = ['-m', 'pip', 'install', '--only-binary', ':all:', '--quiet', '--no-input', ...wanted]
    execFileSync(join(folder, 'bin', 'python'), install, { stdio: 'inherit' })
  })

let required: NodeJS.Require | undefined

/** A module of the cache. Its types are not known here, so each client says what it reads of it. */
export function load(name: string) {
  required ??= createRequire(join(nodeFolder('js', NODE_PACKAGES), 'package.json'))
  return import(pathToFileURL(required.resolve(name)).href)
}
