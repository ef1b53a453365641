import { randomBytes } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { CredentialError } from './credential.ts'

/** Of others on this machine. */
const OTHERS = 0o077

/** Windows has no such modes; there the folder of the user is what keeps others out. */
const hasModes = process.platform !== 'win32'

/** Creates the folder, for this user only, where it is missing. */
export const privateFolder = async (folder: string): Promise<void> => {
  await attempt(`the folder ${folder} cannot be created`, () => mkdir(folder, { recursive: true, mode: 0o700 }))
}

/** Replaces the whole file at once, mode 0600: a reader sees the old content or the new one. */
export async function writePrivate(file: string, content: Uint8Array | string): Promise<void> {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  await attempt(`${file} cannot be written`, async () => {
    try {
      const handle = await open(temporary, 'wx', 0o600)
      try {
        await handle.writeFile(content)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(temporary, file)
    } catch (error) {
      await rm(temporary, { force: true })
      throw error
    }
  })
}

/** The content of a file that only this user may read; `undefined` where there is none. */
export async function readPrivate(file: string): Promise<Buffer | undefined> {
  return attempt(`${file} cannot be read`, async () => {
    try {
      const { mode } = await stat(file)
      if (hasModes && (mode & OTHERS) !== 0)
        throw new CredentialError(`${file} may be read by others on this machine; run "chmod 600 ${file}"`)
      return await readFile(file)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined
      throw error
    }
  })
}

export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

/** A failure of the file system, told by its code. */
async function attempt<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof CredentialError) throw error
    throw new CredentialError(`${what} (${codeOf(error) ?? 'unknown error'}); check its owner and the free space`)
  }
}
