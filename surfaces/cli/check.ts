import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { credentials } from 'deflector/facets/credentials'
import { fault } from 'deflector/facets/fault'
import { modelEndpoint } from 'deflector/facets/model-endpoint'
import { requireDataDir } from '../../config/data-dir.ts'
import { requireFolders } from '../../config/folders.ts'
import { loadSettings } from '../../config/load.ts'
import { sourcesOf } from '../../config/origins.ts'
import { pipelineSettings } from '../../config/providers.ts'
import { settingWarnings } from '../../config/warnings.ts'
import { problemLine } from '../../core/gateway.ts'
import { createLoader } from '../../core/pipeline/loader.ts'
import { readPipeline } from '../../core/pipeline/read.ts'
import type { Pipeline } from '../../core/pipeline/types.ts'
import { checkLayers } from './check/layers.ts'
import { type Checked, checkOutside } from './check/outside.ts'
import { CommandError, failureLines, LoggedError } from './failure.ts'
import { dryBuild } from './pipeline/dry-build.ts'
import { pipelineFile } from './pipeline-file.ts'

export interface CheckOptions {
  readonly pipeline?: string
  readonly json?: boolean
}

/** `deflector check`: settings, pipeline, providers, stores, local models and what layers are given, without serving. Exit code 1 where one of them failed. */
export async function check(options: CheckOptions): Promise<void> {
  const rows = await checked(options)
  process.stdout.write(`${options.json ? JSON.stringify(rows, null, 2) : tableOf(rows)}\n`)
  if (rows.some(({ result }) => result === 'failed')) throw new LoggedError()
}

async function checked({ pipeline: flag }: CheckOptions): Promise<readonly Checked[]> {
  const cwd = process.cwd()
  const rows: Checked[] = []
  const failed = (what: Checked['check'], name: string, error: unknown): readonly Checked[] => [
    ...rows,
    ...failureLines(error).map(detail => ({ check: what, name, result: 'failed', detail }) as const),
  ]
  let loaded: ReturnType<typeof loadSettings>
  try {
    loaded = loadSettings({ cwd, env: process.env })
    requireDataDir(loaded.dataDir)
    requireFolders(loaded)
  } catch (error) {
    return failed('settings', '', error)
  }
  const set = [...loaded.sources.values()].filter(({ kind }) => kind !== 'default').length
  rows.push({ check: 'settings', name: '', result: 'ok', detail: `${set} set, the others have their defaults` })
  for (const detail of settingWarnings(loaded.values))
    rows.push({ check: 'settings', name: '', result: 'warning', detail })
  let pipeline: Pipeline
  try {
    const file = pipelineFile(loaded, { cwd, flag })
    const near = relative(cwd, file)
    const name = near.startsWith('..') ? file : near
    const read = await readPipeline({
      file,
      text: await readFile(file, 'utf8'),
      settings: pipelineSettings(loaded, process.env),
      loader: createLoader(),
      sourceOf: sourcesOf(loaded),
    })
    const built = read.pipeline ? await dryBuild(read.pipeline) : undefined
    const errors = [...read.problems, ...(built?.problems ?? [])].filter(({ severity }) => severity === 'error')
    if (!read.pipeline || !built || errors.length > 0)
      return failed('pipeline', name, new CommandError(...errors.map(problemLine)))
    rows.push({ check: 'pipeline', name, result: 'ok', detail: '' })
    pipeline = read.pipeline
    const asked = (role: 'provider' | 'store' | 'model'): string[] => [
      ...new Set(built.asks.filter(ask => ask.role === role).map(ask => ask.name)),
    ]
    const offering = ({ name }: { readonly name: string }): string[] =>
      built.offered.filter(({ facet }) => facet === name).map(({ by }) => by.name)
    rows.push(
      ...(await checkLayers(pipeline, offering(fault))),
      ...(await checkOutside(pipeline, {
        providers: asked('provider'),
        stores: asked('store'),
        models: offering(modelEndpoint).filter(name => asked('model').includes(name)),
        // Keys may be stored on this machine.
        observers: offering(credentials),
        offline: loaded.values.offline_mode,
      })),
    )
    return rows
  } catch (error) {
    return failed('pipeline', '', error)
  }
}

/** Aligned columns; what failed says why. */
function tableOf(rows: readonly Checked[]): string {
  const wide = (column: 'check' | 'name' | 'result'): number => Math.max(...rows.map(row => row[column].length))
  const [checks, names, results] = [wide('check'), wide('name'), wide('result')]
  return rows
    .map(({ check, name, result, detail }) =>
      `${check.padEnd(checks)}  ${name.padEnd(names)}  ${result.padEnd(results)}  ${detail}`.trimEnd(),
    )
    .join('\n')
}
