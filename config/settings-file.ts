import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SettingsError } from './problems.ts'
import { editToml, type TomlChange } from './toml-edit.ts'
import { codeOf, FILE_NAME, findToml, parseToml, readText, type TomlPlace } from './toml-file.ts'
import { inWriteTurn } from './write-turn.ts'

/** Only its owner may read a new file: it may hold keys. */
const MODE = 0o600

/** The settings file that is in use, else that of the data directory, which need not exist. */
export function settingsPlace(cwd: string, dataDir: string): TomlPlace {
  const there = join(dataDir, FILE_NAME)
  return findToml(cwd, dataDir) ?? { path: there, label: there }
}

/** Empty where there is no file. Throws a `SettingsError` when it cannot be read. */
export const settingsText = (place: TomlPlace): string => (existsSync(place.path) ? readText(place) : '')

/** A text that waits on disk to take the place of a file. */
export interface Prepared {
  /**
   * The file says the new text from now on, or, where this throws, still the old one. False where somebody else has
   * written it meanwhile.
   */
  commit(): boolean
  /** Gives up; nothing after `commit`. */
  discard(): void
}

/**
 * Writes a text that shall take the place of `before`: beside the file, down to the disk, with the file's own mode and
 * owner; 0600 for a new one. A link to a file stays a link. Throws the system's error, and leaves nothing then.
 */
export function prepare(place: TomlPlace, before: string, text: string): Prepared {
  const { path } = place
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const target = existsSync(path) ? realpathSync(path) : path
  const known = existsSync(target) ? statSync(target) : undefined
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`)
  const discard = (): void => rmSync(temporary, { force: true })
  discard()
  removeLeft(target)
  try {
    const file = openSync(temporary, 'wx', MODE)
    try {
      if (known) {
        if (known.uid !== process.getuid?.() || known.gid !== process.getgid?.()) tryToGive(file, known)
        fchmodSync(file, known.mode & 0o777)
      }
      writeFileSync(file, Buffer.from(text)) // all of it: a disk that is nearly full takes a part, and says nothing
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch (error) {
    discard()
    throw error
  }
  const commit = (): boolean => {
    const isOurs = inWriteTurn(join(dirname(target), `.${basename(target)}`), () => {
      if (settingsText(place) !== before) return false
      renameSync(temporary, target)
      return true
    })
    if (isOurs) syncFolder(dirname(target))
    return isOurs
  }
  return { commit, discard }
}

/** A process that was killed leaves its text behind, keys included. */
function removeLeft(target: string): void {
  const [before, after] = [`.${basename(target)}.`, '.tmp']
  try {
    for (const name of readdirSync(dirname(target))) {
      if (!name.startsWith(before) || !name.endsWith(after)) continue
      const pid = Number(name.slice(before.length, -after.length))
      if (pid > 0 && !isAlive(pid)) rmSync(join(dirname(target), name), { force: true })
    }
  } catch {} // one may write in a folder that one may not list
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) !== 'ESRCH'
  }
}

/** Only the administrator of the machine may give files away; the others keep theirs. */
function tryToGive(file: number, { uid, gid }: { readonly uid: number; readonly gid: number }): void {
  try {
    fchownSync(file, uid, gid)
  } catch {}
}

/** Some systems know no sync of folders; the rename itself is done. */
function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, 'r')
    try {
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  } catch {}
}

/** Others may write at the same time: so often is a change made anew to what they wrote. */
const TRIES = 100

/**
 * Sets one key in a settings file, which is created where there is none. False where it already said so. Throws a
 * `SettingsError` for a file that is not TOML or cannot be written.
 */
export function setInToml(path: string, label: string, change: TomlChange): boolean {
  const place = { path, label }
  for (let tries = 0; tries < TRIES; tries++) {
    const text = settingsText(place)
    parseToml(place, text) // says what is wrong with it
    const edited = editToml(text, label, [change])
    if (edited === text) return false
    if (replaced(place, text, edited)) return true
  }
  throw new SettingsError([`${label}: is changed by somebody else all the time; try again`])
}

/** False where the file says something else than `before` by now. */
function replaced(place: TomlPlace, before: string, text: string): boolean {
  try {
    const prepared = prepare(place, before, text)
    try {
      return prepared.commit()
    } finally {
      prepared.discard()
    }
  } catch (error) {
    if (error instanceof SettingsError) throw error
    throw new SettingsError([
      `${place.label}: cannot be written (${codeOf(error)}); check its folder and your permissions`,
    ])
  }
}
