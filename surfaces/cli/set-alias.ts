import { join } from 'node:path'
import { ensureDataDir } from '../../config/data-dir.ts'
import { loadSettings } from '../../config/load.ts'
import { setInToml } from '../../config/settings-file.ts'
import { FILE_NAME } from '../../config/toml-file.ts'
import { CommandError } from './failure.ts'

export interface SetAliasOptions {
  readonly alias: string
  readonly model: string
}

/** `deflector set-alias`: gives a model a name in service.toml: the one that is read, else one in the data directory. */
export function setAlias({ alias, model }: SetAliasOptions): void {
  for (const [flag, text] of [
    ['--alias', alias],
    ['--model', model],
  ] as const)
    if (text.trim() === '' || /\p{Cc}/u.test(text)) throw new CommandError(`${flag}: must be the name of a model`)
  if (alias === model) throw new CommandError(`--alias: "${alias}" is the model itself; give it another name`)
  const context = { cwd: process.cwd(), env: process.env }
  const { file, dataDir, values: before } = loadSettings(context)
  const circle = circleOf(alias, { ...before.model_aliases, [alias]: model })
  if (circle) throw new CommandError(`--model: ${circle.join(' -> ')} is a circle; name a model of a provider`)
  if (file === undefined) ensureDataDir(dataDir)
  const path = file ?? join(dataDir, FILE_NAME)
  const changed = setInToml(path, path, { path: ['model_aliases', alias], value: model })
  process.stdout.write(`${changed ? 'set' : 'unchanged'}: ${alias} is ${model}, in ${path}\n`)
  const { values, placeOf } = loadSettings(context)
  if (values.model_aliases[alias] !== model)
    process.stderr.write(
      `deflector: warning: ${placeOf('model_aliases', [alias])} has another value, and that one is used\n`,
    )
  else if (changed) process.stdout.write('a running gateway reads it with "deflector reload"\n')
}

/** The names on the way from an alias back to itself; `undefined` where it ends elsewhere. */
function circleOf(alias: string, aliases: Readonly<Record<string, string>>): string[] | undefined {
  const way = [alias]
  for (let next = aliases[alias]; next !== undefined; next = aliases[next]) {
    if (next === alias) return [...way, alias]
    if (way.includes(next)) return undefined
    way.push(next)
  }
  return undefined
}
