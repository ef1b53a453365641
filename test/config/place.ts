import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type FlagValue, type LoadedSettings, loadSettings, SettingsError } from '../../config/load.ts'

/** A working directory and a data directory of a test's own. */
export class Place {
  readonly root = mkdtempSync(join(tmpdir(), 'deflector-config-'))
  readonly cwd = join(this.root, 'work')
  readonly dataDir = join(this.root, 'data')

  constructor() {
    mkdirSync(this.cwd)
    mkdirSync(this.dataDir)
  }

  write(name: string, content: string): string {
    const path = join(this.root, name)
    writeFileSync(path, content)
    return path
  }

  /** `toml` becomes the working directory's `service.toml`. */
  load(toml: string | undefined, env: Record<string, string> = {}, flags: FlagValue[] = []): LoadedSettings {
    if (toml !== undefined) this.write('work/service.toml', toml)
    return loadSettings({ cwd: this.cwd, env: { SERVICE_DATA_DIR: this.dataDir, ...env }, flags })
  }

  /** The lines of the refusal; empty when there was none. */
  problems(toml: string | undefined, env: Record<string, string> = {}, flags: FlagValue[] = []): readonly string[] {
    try {
      this.load(toml, env, flags)
    } catch (error) {
      if (error instanceof SettingsError) return error.problems
      throw error
    }
    return []
  }

  remove(): void {
    rmSync(this.root, { recursive: true })
  }
}

/** Runs with a place that is gone afterwards. */
export function inPlace(run: (place: Place) => void): () => void {
  return () => {
    const place = new Place()
    try {
      run(place)
    } finally {
      place.remove()
    }
  }
}
