import { readFile, writeFile } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { SettingsError } from '../../../config/load.ts'
import { problemLine } from '../../../core/gateway.ts'
import { createLoader } from '../../../core/pipeline/loader.ts'
import { PROBLEMS } from '../../../core/pipeline/problems.ts'
import { readPipeline } from '../../../core/pipeline/read.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import { CommandError } from '../failure.ts'
import { dryBuild } from './dry-build.ts'
import { FORMATS, graphText } from './graph.ts'
import { lintFile, pipelineFiles } from './lint.ts'
import { describeFile, describePlugin, detailText, isPath, listPlugins, listText, problemsText, ROLES } from './list.ts'
import { pipelineSchema } from './schema.ts'
import { isolatedSettings, type KnownSettings, ownSettings } from './settings.ts'
import { reportLines } from './test/report.ts'
import { type FileResult, runTests } from './test/run.ts'

/** Where the commands speak; a test listens in. */
export interface Terminal {
  print(text: string): void
  complain(text: string): void
  /** The command ends with exit code 1. */
  fail(): void
}

const ownTerminal: Terminal = {
  print: text => void process.stdout.write(`${text}\n`),
  complain: text => void process.stderr.write(`${text}\n`),
  fail: () => {
    process.exitCode = 1
  },
}

/** `deflector pipeline …`: what the pipeline language offers on the command line. */
export function pipelineCommand(terminal: Terminal = ownTerminal): Command {
  const command = commandOn(terminal)
  const pipeline = new Command('pipeline').description('check, show and test pipeline files')
  pipeline
    .command('lint')
    .description('check pipeline files; a folder stands for every YAML file below it')
    .argument('<file...>')
    .option('--deny-warnings', 'fail on warnings, too')
    .option('--no-env', 'check against the default settings, not those of this machine')
    .option('--json', 'print the findings as JSON')
    .action(command(lint))
  pipeline
    .command('list')
    .description('show the built-in plugins, the options of one plugin, or what lint finds')
    .argument('[role]', `${ROLES.join(', ')}, problems, or the path of a plugin file`)
    .argument('[name]', 'a built-in name, or the path of a plugin file')
    .option('--json', 'print JSON')
    .action(command(list))
  pipeline
    .command('graph')
    .description('draw a pipeline file')
    .argument('<file>')
    .addOption(new Option('--format <format>').choices(FORMATS).default('mermaid'))
    .option('--no-env', 'draw it with the default settings, not those of this machine')
    .action(command(graph))
  pipeline
    .command('schema')
    .description('print the JSON Schema of pipeline files, for editors')
    .option('--out <file>', 'write it there instead')
    .action(command(schema))
  pipeline
    .command('test')
    .description('run the tests that stand in pipeline files, against stub upstreams')
    .argument('<file...>')
    .option('--json', 'print the results as JSON')
    .action(command(test))
  return pipeline
}

/** Whatever goes wrong ends as a line of complaint and exit code 1. */
const commandOn =
  (terminal: Terminal) =>
  <Args extends unknown[]>(run: (terminal: Terminal, ...args: Args) => Promise<boolean>) =>
  async (...args: Args): Promise<void> => {
    try {
      if (!(await run(terminal, ...args))) terminal.fail()
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error)
      for (const line of error instanceof SettingsError ? error.problems : [said]) terminal.complain(line)
      terminal.fail()
    }
  }

const json = (value: unknown): string => JSON.stringify(value, null, 2)

async function settingsFor({ env }: { readonly env: boolean }): Promise<KnownSettings> {
  if (env) return ownSettings()
  const isolated = isolatedSettings()
  const settings = await isolated.settings()
  await isolated.close()
  return { settings }
}

interface LintOptions {
  readonly denyWarnings?: boolean
  readonly env: boolean
  readonly json?: boolean
}

async function lint({ print }: Terminal, paths: string[], options: LintOptions): Promise<boolean> {
  const loader = createLoader()
  const { settings, sourceOf } = await settingsFor(options)
  const files = await pipelineFiles(paths)
  const problems = (await Promise.all(files.map(file => lintFile(file, settings, loader, sourceOf)))).flat()
  if (options.json) print(json(problems))
  else for (const problem of problems) print(problemLine(problem))
  return !problems.some(({ severity }) => severity === 'error' || options.denyWarnings)
}

async function list(
  { print }: Terminal,
  what: string | undefined,
  name: string | undefined,
  options: { readonly json?: boolean },
): Promise<boolean> {
  if (what === 'problems') {
    print(options.json ? json(PROBLEMS) : problemsText())
    return true
  }
  const loader = createLoader()
  const role = ROLES.find(one => one === what)
  if (what !== undefined && role === undefined && !isPath(what)) {
    const hint = didYouMean(what, ROLES)
    throw new CommandError(`"${what}" is neither a role (${ROLES.join(', ')}) nor a path such as ./${what}.ts${hint}`)
  }
  if (what !== undefined && (role === undefined || name !== undefined)) {
    const asked = role !== undefined && name !== undefined
    const detail = await (asked ? describePlugin(loader, role, name) : describeFile(loader, what))
    if (options.json) print(json(detail))
    else print(detailText(detail))
    return true
  }
  const listings = await listPlugins(loader, role)
  if (options.json) print(json(listings))
  else print(listText(listings))
  return true
}

interface GraphOptions {
  readonly format: (typeof FORMATS)[number]
  readonly env: boolean
}

async function graph({ print, complain }: Terminal, file: string, options: GraphOptions): Promise<boolean> {
  const known = await settingsFor(options)
  const text = await readFile(file, 'utf8')
  const { pipeline, problems } = await readPipeline({ file, text, ...known, loader: createLoader() })
  if (!pipeline) {
    for (const problem of problems) complain(problemLine(problem))
    return false
  }
  print(graphText(pipeline, await dryBuild(pipeline), options.format))
  return true
}

async function schema({ print }: Terminal, { out }: { readonly out?: string }): Promise<boolean> {
  const text = JSON.stringify(await pipelineSchema(createLoader()), null, 2)
  if (out === undefined) print(text)
  else await writeFile(out, `${text}\n`)
  return true
}

async function test({ print }: Terminal, paths: string[], options: { readonly json?: boolean }): Promise<boolean> {
  const isolated = isolatedSettings()
  const around = { loader: createLoader(), settings: isolated.settings }
  const results: FileResult[] = []
  try {
    for (const file of await pipelineFiles(paths)) {
      const result = await runTests(file, around)
      results.push(result)
      if (!options.json) for (const line of reportLines(result)) print(line)
    }
  } finally {
    await isolated.close()
  }
  const all = results.flatMap(one => one.results)
  const passed = all.filter(({ differences }) => differences.length === 0).length
  const broken = results.flatMap(({ problems }) => problems).length
  if (options.json) print(json(results))
  else print(`${passed} passed, ${all.length - passed + broken} failed`)
  return passed === all.length && broken === 0
}
