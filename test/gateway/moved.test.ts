import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Gateway } from '../../core/gateway.ts'
import type { Log } from '../../core/host.ts'
import { MOVED, MOVED_MODULES } from '../../core/moved.ts'
import { createLoader } from '../../core/pipeline/loader.ts'
import { lintText } from '../../surfaces/cli/pipeline/lint.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { tempFolder } from '../support/opened.ts'

/** Plugins of an earlier contract, loaded from outside: each is told what replaced the words it uses. */

interface Old {
  readonly pipeline: string
  readonly text: string
  /** The plugin's file. */
  readonly file: string
}

const SECTIONS = {
  layer: (use: string) => `layers: { old: { use: ${use} } }\nproviders: { demo: }\n`,
  provider: (use: string) =>
    `layers: { old: { use: cloud, options: { chain: [old] } } }\nproviders: { old: { use: ${use} } }\n`,
  surface: () => 'layers: { old: { use: cloud, options: { chain: [demo] } } }\nproviders: { demo: }\n',
  observer: (use: string) =>
    `layers: { old: { use: cloud, options: { chain: [demo] } } }\nproviders: { demo: }\nobservers: { old: { use: ${use} } }\n`,
}
type OldRole = keyof typeof SECTIONS

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

/** A folder with one old plugin and a pipeline that uses it. `body` is that of `apply(host)`. */
function old(role: OldRole, body: string, { imports = '', more = '' } = {}): Old {
  const folder = tempFolder('old')
  const file = join(folder, 'old-plugin.ts')
  writeFileSync(
    file,
    `import { define${capital(role)} } from 'deflector'
import { z } from 'zod'
${imports}
export default define${capital(role)}({
  name: 'old',
  options: z.strictObject({}),
  ${more}
  apply(host) {
    ${body}
  },
})
`,
  )
  const text = `surfaces:
  http: { options: { port: 0 } }
  native: { flow: chat }
${role === 'surface' ? '  old: { use: ./old-plugin.ts, flow: chat }\n' : ''}flows: { chat: [old] }
${SECTIONS[role]('./old-plugin.ts')}`
  const pipeline = join(folder, 'pipeline.yaml')
  writeFileSync(pipeline, text)
  return { pipeline, text, file }
}

/** A log that keeps all that it is told, as one text. */
class Said implements Log {
  text = ''
  readonly #add = (message: string, fields?: object): void => {
    this.text += `${message} ${JSON.stringify(fields)}\n`
  }
  readonly debug = this.#add
  readonly info = this.#add
  readonly warn = this.#add
  readonly error = this.#add
}

const NO_USE = /is not a function|of undefined|not defined/

/** Has the operator been told the file, the word and what replaced it? */
function leadsOn(told: string, { file }: Old, word: string, now: string): void {
  assert.ok(told.includes(`${word} is no more; use ${now}`), told)
  assert.ok(told.includes(file) || told.includes('./old-plugin.ts'), `${told} names no file`)
  assert.not.match(told, NO_USE)
}

async function lint({ pipeline, text }: Old): Promise<string> {
  const problems = await lintText(pipeline, text, {}, createLoader())
  return problems.map(({ message }) => message).join('\n')
}

const start = ({ pipeline }: Old): Promise<string> =>
  startGateway({ pipeline }).then(
    () => 'it started',
    error => (error instanceof Error ? error.message : String(error)),
  )

async function serve({ pipeline }: Old, ask: (gateway: TestGateway) => Promise<unknown>): Promise<string> {
  const log = new Said()
  const gateway = await startGateway({ pipeline, log })
  await ask(gateway)
  await gateway.close()
  return log.text
}

/** Both that read the file before it serves say the same. */
async function refusedEarly(made: Old, word: string, now: string): Promise<void> {
  leadsOn(await lint(made), made, word, now)
  leadsOn(await start(made), made, word, now)
}

const ask = (gateway: TestGateway): Promise<unknown> => gateway.post('/api/chat', { prompt: 'hello' })

for (const [word, now] of Object.entries(MOVED.host)) {
  test(`a plugin that uses host.${word} in apply is told at lint and at start what replaced it`, async () => {
    const role = word === 'caches' || word === 'handle' ? 'surface' : 'layer'
    await refusedEarly(old(role, `host.${word}(() => ({ status: 'active' }))`), `host.${word}`, now)
  })
}

test('an old layer that takes host.cache out of its host by destructuring is told as well', async () => {
  await refusedEarly(old('layer', 'const { cache } = host'), 'host.cache', MOVED.host.cache)
})

test('an old surface that calls host.caches in a route is told at the first call', async () => {
  const made = old('surface', "host.route('GET', '/old', call => { call.send(200, {}, String(host.caches().size)) })")
  const told = await serve(made, gateway => gateway.get('/old'))
  leadsOn(told, made, 'host.caches', MOVED.host.caches)
})

test('an old layer that calls host.report in onStart is told when it starts', async () => {
  const made = old('layer', "host.onStart(() => host.report(() => ({ status: 'active' })))")
  leadsOn(await start(made), made, 'host.report', MOVED.host.report)
})

for (const [word, now] of Object.entries(MOVED.definition)) {
  for (const role of ['observer', 'layer'] as const) {
    test(`${role === 'layer' ? 'a layer' : 'an observer'} with ${word} in its definition is told at lint and at start`, async () => {
      await refusedEarly(old(role, '', { more: `${word}: 'Old',` }), `definition.${word}`, now)
    })
  }
}

test('an old layer that calls a provider itself is told at the first request', async () => {
  const made = old(
    'layer',
    `const demo = host.provider('demo')
    host.hooks.answer.tapPromise('old', async exchange =>
      demo.complete({ prompt: exchange.prompt, model: undefined, stream: false, key: undefined, signal: exchange.signal }))`,
  )
  leadsOn(await serve(made, ask), made, 'provider.complete', MOVED.provider.complete)
})

test('an old format, with keepAlive, is refused where a surface names it, and at the first call where it only serves it', async () => {
  const format = "const format = { ...native, framing: undefined, keepAlive: ': waiting' }; delete format.framing"
  const imports = "import { native } from 'deflector/formats/native'"
  const named = old(
    'surface',
    `${format}
    host.route('POST', '/old', call => host.serve(call, format), { format })`,
    { imports },
  )
  await refusedEarly(named, 'dialect.keepAlive', MOVED.dialect.keepAlive)
  const claimed = old('surface', `${format}\n    host.dialect('/old', format)`, { imports })
  await refusedEarly(claimed, 'dialect.keepAlive', MOVED.dialect.keepAlive)
  const served = old('surface', `${format}\n    host.route('POST', '/old', call => host.serve(call, format))`, {
    imports,
  })
  const told = await serve(served, gateway => gateway.post('/old', { prompt: 'hello' }))
  leadsOn(told, served, 'dialect.keepAlive', MOVED.dialect.keepAlive)
})

for (const [word, now] of Object.entries(MOVED.answer)) {
  test(`an old observer that reads answer.${word} is told at the first request`, async () => {
    const made = old('observer', `host.hooks.settle.tapPromise('old', async (_, answer) => void answer.${word})`)
    leadsOn(await serve(made, ask), made, `answer.${word}`, now)
  })
}

for (const [word, now] of Object.entries(MOVED.deflector)) {
  test(`a plugin that imports ${word} of deflector is told at the first use, by name or by namespace`, async () => {
    const early = old('layer', `${word}(1)`, { imports: `import { ${word} } from 'deflector'` })
    await refusedEarly(early, `deflector.${word}`, now)
    const namespace = old('layer', `all.${word}(1)`, { imports: "import * as all from 'deflector'" })
    await refusedEarly(namespace, `deflector.${word}`, now)
    const late = old('provider', `return { complete: async () => ${word}(1) }`, {
      imports: `import { ${word} } from 'deflector'`,
    })
    leadsOn(await serve(late, ask), late, `deflector.${word}`, now)
  })
}

for (const [specifier, now] of Object.entries(MOVED_MODULES)) {
  test(`a plugin that imports ${specifier} is told at lint and at start`, async () => {
    const made = old('layer', 'void spliceJson', { imports: `import { spliceJson } from '${specifier}'` })
    await refusedEarly(made, `the module ${specifier}`, now)
  })
}

test('a reload to an old plugin is refused with its reason, and the gateway goes on serving', async () => {
  const made = old('layer', "host.report(() => ({ status: 'active' }))")
  const before = made.text.replace('use: ./old-plugin.ts', 'use: cloud, options: { chain: [demo] }')
  writeFileSync(made.pipeline, before)
  const gateway = await startGateway({ pipeline: made.pipeline })
  assert.ok(gateway.gateway instanceof Gateway)
  writeFileSync(made.pipeline, made.text)
  const { ok, reasons } = await gateway.gateway.reload()
  assert.not(ok)
  leadsOn(reasons.join('\n'), made, 'host.report', MOVED.host.report)
  assert.is((await gateway.post('/api/chat', { prompt: 'hello' })).status, 200)
  await gateway.close()
})

test.run()
