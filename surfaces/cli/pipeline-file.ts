import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type LoadedSettings, sourceText } from '../../config/load.ts'
import { CommandError } from './failure.ts'
import { packagedPipeline } from './package.ts'

/** `--pipeline`, then the setting `pipeline`, then `./pipelines/default.yaml`, then the packaged default. */
export function pipelineFile(
  { values, sources }: LoadedSettings,
  { cwd, flag }: { readonly cwd: string; readonly flag?: string | undefined },
): string {
  const named = flag ?? values.pipeline
  if (!named) {
    const local = join(cwd, 'pipelines', 'default.yaml')
    return existsSync(local) ? local : packagedPipeline()
  }
  const file = resolve(cwd, named)
  const source = sources.get('pipeline')
  const who = flag !== undefined || source === undefined ? '--pipeline' : sourceText(source)
  if (!existsSync(file)) throw new CommandError(`${who}: there is no pipeline file ${file}; check the path`)
  if (statSync(file).isDirectory()) {
    const inside = readdirSync(file).filter(isPipelineFile)
    const what =
      inside.length > 0 ? `name a pipeline file in it: ${inside.join(', ')}` : 'it holds no pipeline file (*.yaml)'
    throw new CommandError(`${who}: ${file} is a folder; ${what}`)
  }
  return file
}

export const isPipelineFile = (name: string): boolean => /\.ya?ml$/.test(name)
