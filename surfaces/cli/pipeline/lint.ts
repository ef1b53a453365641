import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Loader } from '../../../core/pipeline/loader.ts'
import { readPipeline } from '../../../core/pipeline/read.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import type { Pipeline, Problem, Settings, SourceOf } from '../../../core/pipeline/types.ts'
import { CommandError } from '../failure.ts'
import { isPipelineFile } from '../pipeline-file.ts'
import { dryBuild } from './dry-build.ts'
import { locate } from './locate.ts'
import { readTests } from './test/section.ts'

/** All that can be known of a pipeline file without running it: its shape, its names, its options, its tests. */
export async function lintText(
  file: string,
  text: string,
  settings: Settings,
  loader: Loader,
  sourceOf?: SourceOf,
): Promise<Problem[]> {
  const { pipeline, problems } = await readPipeline({ file, text, settings, loader, sourceOf })
  const tests = readTests(file, text).problems.filter(({ code }) => code !== 'bad_yaml' && code !== 'duplicate_key')
  const built = pipeline ? await wired(pipeline, text, settings) : []
  return [...problems, ...tests, ...built].sort((a, b) => a.line - b.line || a.column - b.column)
}

/** What is wrong between the instances. A name that leads nowhere is shown where it is written. */
async function wired(pipeline: Pipeline, text: string, settings: Settings): Promise<Problem[]> {
  const { problems, missing } = await dryBuild(pipeline)
  return problems.map(problem => {
    const ask = missing.find(one => one.problem === problem)?.ask
    if (!ask) return problem
    const at = locate(pipeline.file, text, settings, ask)
    const hint = didYouMean(ask.name, pipeline.instances[ask.role].keys())
    return { ...problem, ...at, message: problem.message + hint }
  })
}

export async function lintFile(
  file: string,
  settings: Settings,
  loader: Loader,
  sourceOf?: SourceOf,
): Promise<Problem[]> {
  return lintText(file, await readFile(file, 'utf8'), settings, loader, sourceOf)
}

/** Files as they are named; a folder stands for every `.yaml` and `.yml` below it, in order, and needs one at least. */
export async function pipelineFiles(paths: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const path of paths) {
    const entry = await stat(path).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? new CommandError(`there is no file or folder ${path}; check the path`) : error
    })
    if (!entry.isDirectory()) {
      found.push(path)
      continue
    }
    const inside = await readdir(path, { recursive: true, withFileTypes: true })
    const files = inside.filter(entry => entry.isFile() && isPipelineFile(entry.name))
    if (files.length === 0) throw new CommandError(`the folder ${path} holds no pipeline file (*.yaml); name one`)
    found.push(...files.map(entry => join(entry.parentPath, entry.name)).sort())
  }
  return found
}
