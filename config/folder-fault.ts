import { existsSync, mkdtempSync, rmdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from './toml-file.ts'

/**
 * Why nothing can be written in a folder, or why it cannot be made: the system's code. Nothing of the attempt stays. The
 * folder itself is not made, as `mkdir` with `recursive` never ends where the system makes none (`/proc`).
 */
export function folderFault(path: string): string | undefined {
  let near = resolve(path)
  while (!existsSync(near)) near = dirname(near)
  try {
    rmdirSync(mkdtempSync(join(near, '.deflector-')))
    return undefined
  } catch (error) {
    return codeOf(error)
  }
}
