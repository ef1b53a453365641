import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pipelineCommand } from '../../../../surfaces/cli/pipeline/index.ts'

/** The commands as a user runs them: what they print and how they exit. */

const folder = mkdtempSync(join(tmpdir(), 'deflector-commands-'))
test.after(() => rmSync(folder, { recursive: true, force: true }))

interface Ran {
  readonly code: 0 | 1
  readonly out: string
  readonly err: string
}

async function run(...args: string[]): Promise<Ran> {
  const ran = { code: 0 as Ran['code'], out: '', err: '' }
  const command = pipelineCommand({
    print: text => {
      ran.out += `${text}\n`
    },
    complain: text => {
      ran.err += `${text}\n`
    },
    fail: () => {
      ran.code = 1
    },
  })
  const ownNames = args[0] === 'lint' || args[0] === 'graph' ? ['--no-env'] : []
  await command.parseAsync([...args, ...ownNames], { from: 'user' })
  return ran
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const GOOD = `surfaces:
  http: { options: { port: 8080 } }
  chat-completions: { flow: chat }
flows:
  chat: [exact-cache]
layers:
  exact-cache: { options: { store: memory } }
stores:
  memory:
`

test('lint says where a layer is misspelt, what was meant, and exits with 1', async () => {
  const path = file('typo.yaml', GOOD.replace('[exact-cache]', '[exact-cahce]'))
  const { code, out } = await run('lint', path)
  assert.is(code, 1)
  assert.is(
    out.split('\n')[0],
    `${path}:5:10 error unknown_layer: there is no layer "exact-cahce", neither declared nor built in; did you mean "exact-cache"?`,
  )
})

test('lint is silent on a good file', async () => {
  assert.equal(await run('lint', file('good.yaml', GOOD)), { code: 0, out: '', err: '' })
})

test('lint names a store that nobody declares, and one that nobody asks for', async () => {
  const path = file('stores.yaml', GOOD.replace('store: memory', 'store: memroy'))
  const { code, out } = await run('lint', path, '--json')
  assert.is(code, 1)
  assert.equal(JSON.parse(out), [
    {
      line: 7,
      column: 36,
      file: path,
      severity: 'error',
      code: 'unknown_store',
      message: 'layer "exact-cache" asks for a store called "memroy"; declared are: memory; did you mean "memory"?',
    },
  ])
  const spare = await run('lint', file('spare.yaml', `${GOOD}  spare: { use: memory }\n`))
  assert.is(spare.code, 0)
  assert.match(spare.out, /spare\.yaml:10:3 warning unused_instance: nothing asks for store "spare"\n$/)
  assert.is((await run('lint', '--deny-warnings', join(folder, 'spare.yaml'))).code, 1)
})

test('lint of a file that is not there says so', async () => {
  const path = join(folder, 'nowhere.yaml')
  const { code, err } = await run('lint', path)
  assert.is(code, 1)
  assert.is(err, `there is no file or folder ${path}; check the path\n`)
})

test('lint and test of a folder take every YAML file below it, and refuse one without any', async () => {
  mkdirSync(join(folder, 'many/below'), { recursive: true })
  file('many/one.yaml', `${GOOD}  spare: { use: memory }\n`)
  file('many/below/two.yml', `${GOOD}  spare: { use: memory }\n`)
  const { out } = await run('lint', join(folder, 'many'))
  assert.equal(
    out.split('\n').map(line => line.split(':')[0]),
    [join(folder, 'many/below/two.yml'), join(folder, 'many/one.yaml'), ''],
  )
  const empty = join(folder, 'empty')
  mkdirSync(empty)
  const err = `the folder ${empty} holds no pipeline file (*.yaml); name one\n`
  assert.equal(await run('lint', empty), { code: 1, out: '', err })
  assert.equal(await run('test', empty), { code: 1, out: '', err })
})

test('lint says that a folder holds nothing that can be loaded', async () => {
  mkdirSync(join(folder, 'plugin'))
  file('plugin/readme.md', 'soon')
  const text = GOOD.replace('[exact-cache]', '[exact-cache, mine]').replace(
    'layers:',
    'layers:\n  mine: { use: ./plugin }',
  )
  const path = file('folder.yaml', text)
  const { code, out } = await run('lint', path)
  assert.is(code, 1)
  const why = `the folder ${join(folder, 'plugin')} has no index.ts or index.js; add one that exports the plugin, or name a file`
  assert.is(out, `${path}:7:16 error unknown_plugin: ${why}\n`)
})

test('lint points at a second surface that claims the routes of a first', async () => {
  const twice = GOOD.replace('flow: chat }', 'flow: chat }\n  again: { use: chat-completions, flow: chat }')
  const { code, out } = await run('lint', file('twice.yaml', twice), '--json')
  assert.is(code, 1)
  const found = JSON.parse(out)
  assert.ok(found.length > 0)
  for (const { code, severity, line, column } of found)
    assert.equal([code, severity, line, column], ['duplicate_route', 'error', 4, 3])
  const message = found[0].message
  assert.is(
    message,
    'surface "again" never gets a POST /v1/chat/completions; surface "chat-completions" takes them all',
  )
})

test('lint asks every built-in surface that answers by a flow for its flow', async () => {
  const surfaces = ['native', 'chat-completions', 'messages', 'models', 'cache', 'cache-admin', 'mcp']
  const lines = surfaces.map(name => `  ${name}:\n`).join('')
  const { out } = await run('lint', file('flowless.yaml', `surfaces:\n  http:\n${lines}`), '--json')
  const found = JSON.parse(out).map(({ code, message }: { code: string; message: string }) => `${code} ${message}`)
  assert.equal(
    found,
    surfaces.map(name => `missing_flow surface "${name}" answers by a flow: add "flow:" with a name from "flows"`),
  )
})

test('list shows plugins and aliases, and the options of one', async () => {
  const all = await run('list', 'provider', '--json')
  const names = JSON.parse(all.out).map(({ name }: { name: string }) => name)
  assert.ok(names.includes('groq') && names.includes('chat-completions'))
  const { out } = await run('list', 'layer', 'exact-cache')
  assert.match(out, /^layer exact-cache: .+\n\noption +type +default +description\nstore +string +required +\S/)
  const wrong = await run('list', 'layer', 'exact-cahce')
  assert.is(wrong.code, 1)
  assert.is(
    wrong.err,
    'there is no built-in layer "exact-cahce"; did you mean "exact-cache"?; a file is named by its path\n',
  )
})

test('list problems shows every code that lint knows, with its severity', async () => {
  const { out } = await run('list', 'problems')
  assert.match(out, /^bad_yaml +error +the file is not YAML/)
  assert.match(out, /^unused_flow +warning +no surface feeds this flow$/m)
  const { unused_flow } = JSON.parse((await run('list', 'problems', '--json')).out)
  assert.equal(unused_flow, { severity: 'warning', meaning: 'no surface feeds this flow' })
})

test('list shows the options of a plugin file, with and without its role', async () => {
  const path = file(
    'squawk.ts',
    `import { defineProvider } from 'deflector'
import { z } from 'zod'
export default defineProvider({
  name: 'squawk',
  summary: 'says what it is told',
  options: z.strictObject({ word: z.string().describe('What it says.') }),
  apply: () => ({ complete: () => Promise.reject(new Error('it is mute')) }),
})
`,
  )
  const alone = await run('list', path)
  assert.is(
    alone.out,
    `provider ${path}: says what it is told\n\noption  type    default   description\nword    string  required  What it says.\n`,
  )
  assert.equal(await run('list', 'provider', path), alone)
  const wrong = await run('list', 'layer', path)
  assert.is(wrong.code, 1)
  assert.match(wrong.err, 'squawk.ts is a provider, not a layer')
  assert.match((await run('list', './nowhere.ts')).err, /^there is no file .*nowhere\.ts\n$/)
  assert.match((await run('list', 'layr')).err, /^"layr" is neither a role .*did you mean "layer"\?\n$/)
})

test('lint leads a provider that a flow lists to the chain that it belongs into', async () => {
  const path = file('misplaced.yaml', GOOD.replace('[exact-cache]', '[exact-cache, groq]'))
  const { out } = await run('lint', path)
  assert.match(out, 'flows list layers, and "groq" is a provider: declare it under "providers"')
  const chained = file(
    'chained.yaml',
    GOOD.replace('[exact-cache]', '[exact-cache, cloud, groq]').replace('\nstores', '\n  cloud: {}\nstores'),
  )
  assert.match((await run('lint', chained)).out, 'name it in an option of a layer: "chain" of layer "cloud"')
})

test('a test gives the variables of the environment that its file reads', async () => {
  const place = ['$', '{env:ACME_KEY}'].join('')
  const text = `surfaces:
  http: { options: { port: 8080 } }
  chat-completions: { flow: chat }
flows: { chat: [cloud] }
layers: { cloud: { options: { chain: [main] } } }
providers: { main: { use: openai, options: { api_key: '${place}' } } }
tests:
  - name: the key is sent
    settings: { 'env:ACME_KEY': from-the-environment }
    request: { path: /v1/chat/completions, body: { model: m, messages: [{ role: user, content: hi }] } }
    expect: { status: 200, sent: { headers: { authorization: Bearer from-the-environment } } }
`
  const path = file('variable.yaml', text)
  const { code, out } = await run('test', path)
  assert.is(code, 0, out)
  const without = await run('lint', path)
  assert.match(without.out, /:6:\d+ error unknown_variable: the environment has no variable "ACME_KEY"/)
})

test('graph draws surfaces, the flow in order and what the layers ask for', async () => {
  const path = file('graph.yaml', GOOD)
  const mermaid = await run('graph', path)
  assert.match(mermaid.out, /^flowchart LR\n/)
  assert.match(mermaid.out, /surface__chat_completions --> flow__chat__exact_cache\n/)
  assert.match(mermaid.out, /flow__chat__exact_cache -\.-> store__memory\n/)
  const dot = await run('graph', path, '--format', 'dot')
  assert.match(
    dot.out,
    /^digraph pipeline \{\n[\s\S]*flow__chat__exact_cache -> store__memory \[style=dashed\];\n\}\n$/,
  )
})

test('graph as JSON has nodes, flows and edges', async () => {
  const { out } = await run('graph', file('json.yaml', GOOD), '--format', 'json')
  const { nodes, flows, edges } = JSON.parse(out)
  assert.equal(flows, [{ name: 'chat', ids: ['flow__chat__exact_cache'] }])
  assert.equal(edges, [
    { from: 'surface__chat_completions', to: 'flow__chat__exact_cache', asks: false },
    { from: 'flow__chat__exact_cache', to: 'store__memory', asks: true },
  ])
  const listed = nodes.map(({ id, role, plugin, flow }: Record<string, unknown>) => [id, role, plugin, flow])
  assert.equal(listed, [
    ['flow__chat__exact_cache', 'layer', 'exact-cache', 'chat'],
    ['surface__http', 'surface', 'http', null],
    ['surface__chat_completions', 'surface', 'chat-completions', 'chat'],
    ['store__memory', 'store', 'memory', null],
  ])
})

test('graph shows in each box under which facets its instance offers something', async () => {
  const path = file(
    'facets.yaml',
    GOOD.replace('chat-completions:', 'memory: { use: native, flow: chat }\n  chat-completions:'),
  )
  const mermaid = await run('graph', path)
  assert.match(mermaid.out, /^ {2}surface__http\(\["http<br>listener<br>route-table"\]\)$/m)
  assert.match(
    mermaid.out,
    /^ {4}flow__chat__exact_cache\["exact-cache<br>trace-name<br>step-words<br>health<br>cache-controls<br>cache-why"\]$/m,
  )
  assert.match(mermaid.out, /^ {2}surface__memory\(\["memory<br>chat-surface"\]\)$/m)
  assert.match(mermaid.out, /^ {2}store__memory\[\("memory"\)\]$/m, 'one that offers nothing has its name alone')
  const dot = await run('graph', path, '--format', 'dot')
  assert.match(dot.out, 'surface__http [label="http\\nlistener\\nroute-table", shape=oval];')
})

test('test exits with 1 when one fails, and ends with the counts', async () => {
  const path = file(
    'tests.yaml',
    `${GOOD}tests:
  - name: nobody can answer
    request: { path: /v1/chat/completions, body: { model: m, messages: [{ role: user, content: hi }] } }
    expect: { status: 502, calls: 0 }
  - name: this is wrong
    request: { path: /nowhere }
    expect: { status: 200 }
`,
  )
  const { code, out } = await run('test', path)
  assert.is(code, 1)
  const lines = out.split('\n')
  assert.is(lines[0], `ok    ${path}:11 nobody can answer`)
  assert.is(lines[1], `FAIL  ${path}:14 this is wrong`)
  assert.is(lines.at(-2), '1 passed, 1 failed')
})

test.run()
