import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { problemLine } from '../core/gateway.ts'
import { MOVED, MOVED_MODULES } from '../core/moved.ts'
import { createLoader } from '../core/pipeline/loader.ts'
import { lintText } from '../surfaces/cli/pipeline/lint.ts'
import { startGateway } from './support/gateway.ts'
import { blocksOf, readDocument, root } from './support/markdown.ts'
import { tempFolder } from './support/opened.ts'
import { startUpstream } from './support/upstream.ts'

/** What `plugins/README.md` shows: every block is a file, and the files are compiled, proved and served. */

const readme = readDocument('plugins/README.md')
const folder = tempFolder('plugins-readme')
const files = new Map<string, string>()
for (const { language, text, line } of blocksOf(readme)) {
  const name = /^(?:\/\/|#) (\S+)\n/.exec(text)?.[1] ?? ''
  assert.ok(name.endsWith(`.${language}`), `the block of line ${line} begins with the name of its file`)
  assert.not(files.has(name), `${name} is there once`)
  files.set(name, text)
  writeFileSync(join(folder, name), text)
}

// What the README asks for, and what `npm install` would put there.
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
mkdirSync(join(folder, 'node_modules'))
symlinkSync(root, join(folder, 'node_modules/deflector'))
for (const name of ['zod', 'uvu', '@types'])
  symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))

interface Ran {
  readonly code: number | null
  readonly out: string
}

async function run(...args: readonly string[]): Promise<Ran> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  child.stdout.on('data', bytes => {
    out += bytes
  })
  child.stderr.on('data', bytes => {
    out += bytes
  })
  const [code] = await once(child, 'close')
  return { code, out }
}

const NEW_PORT = (text: string): string => text.replace('port: 8080', 'port: 0')

/** A pipeline of the README, on a free port, beside the plugins. */
function pipeline(name: string, change: (text: string) => string = text => text): string {
  const file = join(folder, `served-${name}`)
  writeFileSync(file, change(NEW_PORT(files.get(name) ?? '')))
  return file
}

test('there is an example of every role, the facet and the proof included', () => {
  for (const role of ['Store', 'Model', 'Provider', 'Layer', 'Observer', 'Surface'])
    assert.ok(
      [...files.values()].some(text => text.includes(`export default define${role}(`)),
      role,
    )
})

test('every example compiles under strict rules', async () => {
  const config = {
    extends: `${root}tsconfig.json`,
    compilerOptions: { noEmit: true, typeRoots: [join(root, 'node_modules/@types')] },
    include: ['*.ts'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { code, out } = await run(`${root}node_modules/typescript/bin/tsc`, '-p', '.')
  assert.is(code, 0, out)
})

test('every example passes the suite of its role', async () => {
  const tsx = `${root}node_modules/tsx/dist/loader.mjs`
  const { code, out } = await run('--conditions', 'development', '--import', tsx, 'parrots.test.ts')
  assert.is(code, 0, out)
  for (const suite of [
    'shelf as a store',
    'letters as a model',
    'faq as a layer',
    'tally as an observer',
    'ask as a surface',
  ])
    assert.match(out, suite)
})

for (const name of ['parrots.yaml', 'acme.yaml']) {
  test(`${name} has neither errors nor warnings`, async () => {
    const settings = { external_llm_api_key: 'key-1' }
    const problems = await lintText(join(folder, name), files.get(name) ?? '', settings, createLoader())
    assert.equal(problems.map(problemLine), [])
  })
}

test('the examples serve: each of them has its part in what comes back', async () => {
  const gateway = await startGateway({ pipeline: pipeline('parrots.yaml') })
  const ask = async (prompt: string) => {
    const { status, headers, json } = await gateway.post('/ask', { prompt })
    return [status, headers.get('x-service-layer'), json.message]
  }
  assert.equal(await ask('hi'), [200, 'l3', 'hello'], 'surface and provider')
  assert.equal(await ask('hi'), [200, 'l1a', 'hello'], 'store')
  assert.equal(await ask('What do parrots eat?'), [200, 'faq', 'Seeds and fruit.'], 'layer and model')
  assert.equal((await gateway.get('/tally')).json, { l3: 1, l1a: 1, faq: 1 }, 'observer and facet')
  assert.ok((await gateway.gateway.reload()).ok)
  assert.equal(await ask('hi'), [200, 'l1a', 'hello'], 'what is kept outlives a reload')
  assert.equal((await gateway.get('/tally')).json, { l3: 1, l1a: 2, faq: 1 })
  await gateway.close()
})

test('the vendor over HTTP is asked with its own key header, whole and streamed', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    pipeline: pipeline('acme.yaml', text => text.replace('https://api.acme.example/v1', upstream.url)),
    settings: { SERVICE__EXTERNAL_LLM_API_KEY: 'key-1' },
  })
  const body = { model: 'm', messages: [{ role: 'user', content: 'hello' }] }
  assert.match((await gateway.post('/v1/chat/completions', body)).json.choices[0].message.content, /^answer 1 /)
  assert.match((await gateway.stream('/v1/chat/completions', body)).content, /^answer 2 /)
  assert.equal(
    upstream.calls.map(({ path, headers }) => [path, headers['x-acme-key'], headers.authorization]),
    [1, 2].map(() => ['/v1/chat/completions', 'key-1', undefined]),
  )
  await gateway.close()
})

test('the table of an earlier contract is that of the code', () => {
  const section = readme.split('## From an earlier contract')[1] ?? ''
  const [, table = ''] = /\n(\| was \| use \|\n[\s\S]*?)\n\n/.exec(section) ?? []
  const rows = table
    .replaceAll('`', '')
    .split('\n')
    .slice(2)
    .map(row => row.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '')))
  const words = Object.entries(MOVED).flatMap(([owner, moved]) =>
    Object.entries(moved).map(([word, now]) => [`${owner}.${word}`, now]),
  )
  const modules = Object.entries(MOVED_MODULES).map(([specifier, now]) => [`the module ${specifier}`, now])
  assert.equal(rows, [...words, ...modules])
})

test('the tokens of the facets are those that the package has', async () => {
  for (const [, token = '', module = ''] of readme.matchAll(/^\| `(\w+)` \| `(deflector\/facets\/[\w-]+)` \|/gm)) {
    const exports: Record<string, unknown> = await import(module)
    assert.ok(exports[token], `${module} has ${token}`)
  }
})

test.run()
