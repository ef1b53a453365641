import { join } from 'node:path'
import { tempFolder } from '../opened.ts'
import { compiler } from './compile.mjs'

/**
 * Makes one JavaScript file of a program and all that it imports, and gives back its path. A process with it starts in a
 * third of the time that the sources take: for tests that start dozens.
 */
export async function bundle(program) {
  const outfile = join(tempFolder('bundle'), 'program.mjs')
  await compiler().build({
    entryPoints: [program],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['development'],
  })
  return outfile
}
