import { readFileSync, writeFileSync } from 'node:fs'
import { hasPython, nodeFolder, pythonFolder } from '../matrix/packages.ts'
import { section, withRows } from '../section.ts'
import { type Agent, NODE_AGENTS, NODE_PACKAGES, PYTHON_AGENTS, PYTHON_PACKAGES } from './agents.ts'
import { type Done, doTwice } from './task.ts'

/** Every agent before vendors of two formats. Arguments pick agents and vendors; without any, the table is this run's alone. */
const picks = process.argv.slice(2)
const picked = (all: readonly string[]): readonly string[] => {
  const some = all.filter(name => picks.some(pick => name.includes(pick)))
  return some.length > 0 ? some : all
}
const withPython = hasPython()
if (!withPython) process.stdout.write('left out: python3 with venv is not here, so no agent of PyPI is played\n')
const agents: readonly Agent[] = [...NODE_AGENTS, ...(withPython ? PYTHON_AGENTS : [])]
const packagesOf = (agent: Agent): string =>
  PYTHON_AGENTS.includes(agent) ? pythonFolder('aider', PYTHON_PACKAGES) : nodeFolder('agents', NODE_PACKAGES)
const names = picked(agents.map(({ name }) => name))
const vendors = picked(['openai', 'anthropic'])

const rows: string[] = []
const all: Done[] = []
for (const agent of agents.filter(({ name }) => names.includes(name))) {
  for (const vendor of vendors) {
    for (const normalised of [false, true]) {
      const done = await doTwice(agent, packagesOf(agent), vendor, normalised)
      all.push(done)
      const layers = ['', ''].map((_, at) => done.runs[at]?.layers.join(' ') ?? '')
      const verdict = done.wrong.length > 0 ? '**fails**' : 'ok'
      rows.push(
        `| ${agent.name} ${agent.version} | ${agent.dialect} | ${vendor} | ${normalised ? 'on' : 'off'} | ${verdict} | ${layers.join(' | ')} |`,
      )
      process.stdout.write(`${rows.at(-1)}\n`)
      for (const line of done.wrong) process.stdout.write(`     ${line.replaceAll('\n', '\n     ')}\n`)
    }
  }
}
const table = [
  '| agent | speaks | vendor | `cache_normalize_agents` | task | layers, first run | layers, same again |',
  '| --- | --- | --- | --- | --- | --- | --- |',
  ...rows,
].join('\n')
const readme = new URL('../README.md', import.meta.url)
const document = readFileSync(readme, 'utf8')
writeFileSync(readme, picks.length === 0 ? section(document, 'agents', table) : withRows(document, 'agents', table, 4))
process.exit(all.some(({ wrong }) => wrong.length > 0) ? 1 : 0)
