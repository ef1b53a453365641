import { mkdir, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Store, StoreLife } from 'deflector'

/**
 * A few entries that outlive a restart, each a file. Of several gateways on the folder one alone deletes an entry. Keys are
 * names that a file may have.
 */
export class WorkFolder implements Pick<Store, 'get' | 'set' | 'delete'> {
  constructor(private readonly folder: string) {}

  async get(key: string): ReturnType<Store['get']> {
    const value = await readFile(join(this.folder, key)).catch(ifThere)
    return value && { value, fresh: true }
  }

  /** Those that were set longer ago than `ttlSecs` go. */
  async set(key: string, value: Uint8Array, { ttlSecs }: StoreLife): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 })
    const next = join(this.folder, `${key}.next`)
    await writeFile(next, value, { mode: 0o600 })
    await rename(next, join(this.folder, key))
    const { mtimeMs: now } = await stat(join(this.folder, key))
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name)
      const found = await stat(path).catch(ifThere)
      if (found && found.mtimeMs < now - ttlSecs * 1000) await rm(path, { force: true })
    }
  }

  async delete(key: string): Promise<boolean> {
    const done = await unlink(join(this.folder, key)).then(() => true, ifThere)
    return done === true
  }
}

/** Nothing for what is not there. Throws what else the disk says. */
function ifThere(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
