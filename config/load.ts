import { didYouMean } from '../core/pipeline/suggest.ts'
import { checkCombinations } from './checks.ts'
import { dataDirOf, type Environment, modelCacheDirOf } from './data-dir.ts'
import { parseText, readEnvironment } from './environment.ts'
import { merge } from './merge.ts'
import { problemsOf, SettingsError } from './problems.ts'
import { isSettingKey, ROWS, SETTINGS, type SettingKey, type SettingValues } from './schema.ts'
import { type GivenValue, isTable, leafAt, leavesOf, type Source, sourceText } from './sources.ts'
import { findToml, parseToml, readToml, type TomlFile, type TomlPlace } from './toml-file.ts'

export { SettingsError } from './problems.ts'
export { sourceText } from './sources.ts'

/** A setting given on the command line. */
export interface FlagValue {
  /** As the user wrote it, `--port`. */
  readonly name: string
  readonly key: SettingKey
  readonly text: string
}

export interface SettingsContext {
  readonly cwd: string
  readonly env: Environment
  readonly flags?: readonly FlagValue[]
  /** What the settings file is going to say, in place of what it says on disk. */
  readonly draft?: TomlPlace & { readonly text: string }
}

export interface LoadedSettings {
  readonly values: SettingValues
  /** By dotted key, and for maps also by each name inside (`quota.openai.daily_token_limit`). */
  readonly sources: ReadonlyMap<string, Source>
  /** The settings file that was read. */
  readonly file: string | undefined
  readonly dataDir: string
  readonly modelCacheDir: string | undefined
  /** Where a setting comes from, `service.toml:4` or a variable; of one in the file, the line of the part at `path`. */
  placeOf(key: SettingKey, path?: readonly PropertyKey[]): string
}

/**
 * Merges defaults, the first `service.toml` found, `SERVICE__*` variables and flags; later sources override earlier ones.
 * Throws a `SettingsError` with all problems of all sources.
 */
export function loadSettings({ cwd, env, flags = [], draft }: SettingsContext): LoadedSettings {
  const dataDir = dataDirOf(env, cwd)
  const problems: string[] = []
  const given: GivenValue[] = []

  const found = draft ? undefined : findToml(cwd, dataDir)
  const read = draft ? () => parseToml(draft, draft.text) : found && (() => readToml(found))
  const file = read && attempt(read, problems)
  if (file) fromFile(file, given, problems)
  const namesInFile = (key: SettingKey): string[] => given.flatMap(one => (one.key === key ? one.path.slice(0, 1) : []))
  const environment = readEnvironment(env, namesInFile)
  given.push(...environment.given)
  problems.push(...environment.problems)
  for (const { name, key, text } of flags) {
    const value = parseText(SETTINGS[key], text)
    const wrong = problemsOf(key, SETTINGS[key], value)
    problems.push(...wrong.map(problem => `${name}: ${problem.text}`))
    if (wrong.length === 0) given.push({ key, path: [], value, source: { kind: 'flag', name } })
  }

  if (problems.length > 0) throw new SettingsError(problems)
  const { values, sources } = merge(given, dataDir)
  const conflicts = checkCombinations(values, sources)
  if (conflicts.length > 0) throw new SettingsError(conflicts)
  const placeOf: LoadedSettings['placeOf'] = (key, path = []) => {
    const source = sources.get([key, ...path].join('.')) ?? sources.get(key) ?? { kind: 'default' }
    if (source.kind !== 'file' || !file) return sourceText(source)
    return `${file.label}:${file.lineOf([...key.split('.'), ...path])}`
  }
  return { values, sources, file: file?.path, dataDir, modelCacheDir: modelCacheDirOf(env), placeOf }
}

function attempt<Result>(run: () => Result, problems: string[]): Result | undefined {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

const ALL_KEYS = ROWS.map(([key]) => key)

function fromFile(file: TomlFile, given: GivenValue[], problems: string[]): void {
  const walk = (table: Readonly<Record<string, unknown>>, above: readonly string[]): void => {
    for (const [name, value] of Object.entries(table)) {
      const path = [...above, name]
      const key = path.join('.')
      const place = (inside: readonly PropertyKey[] = []): string =>
        `${file.label}:${file.lineOf([...path, ...inside])}`
      if (isSettingKey(key)) {
        const wrong = problemsOf(key, SETTINGS[key], value)
        problems.push(...wrong.map(problem => `${place(problem.path)}: ${problem.text}`))
        if (wrong.length > 0) continue
        for (const inside of leavesOf(value, SETTINGS[key].depth)) {
          const source = { kind: 'file', file: file.label, line: file.lineOf([...path, ...inside]) } as const
          given.push({ key, path: inside, value: leafAt(value, inside), source })
        }
      } else if (!ALL_KEYS.some(one => one.startsWith(`${key}.`))) {
        problems.push(
          `${place()}: there is no setting "${key}"${didYouMean(key, ALL_KEYS) || '; remove it, or see "deflector config show" for all there are'}`,
        )
      } else if (isTable(value)) walk(value, path)
      else problems.push(`${place()}: ${key} is a table; write it as [${key}] with its keys below`)
    }
  }
  walk(file.content, [])
}
