import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Gateway } from '../../core/gateway.ts'
import type { Log } from '../../core/host.ts'
import { startGateway } from '../support/gateway.ts'
import { opened, tempFolder } from '../support/opened.ts'

interface Line {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

function logOf(): { log: Log; lines: Line[]; problems(): Line[] } {
  const lines: Line[] = []
  const line =
    (level: string): Log['info'] =>
    (message, fields = {}) =>
      void lines.push({ level, message, fields })
  const log = { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') }
  return { log, lines, problems: () => lines.filter(({ level }) => level === 'warn' || level === 'error') }
}

/** Three plugins from outside. Each throws where its option `at` says. */
const PLUGINS = {
  layer: `import { defineLayer } from 'deflector'
import { z } from 'zod'
const bug = (here: string): never => { throw new TypeError('a bug in ' + here) }
export default defineLayer({
  name: 'their-layer',
  options: z.strictObject({ at: z.string() }),
  apply({ name, hooks, onStart }, { at }) {
    if (at === 'apply') bug('apply')
    onStart(() => { if (at === 'start') bug('start') })
    for (const hook of ['receive', 'answer', 'attempt', 'recover', 'settle'] as const)
      hooks[hook].tapPromise(name, async () => at === hook ? bug(hook) : undefined)
    for (const hook of ['attempted', 'finish'] as const) hooks[hook].tap(name, () => { if (at === hook) bug(hook) })
    if (at === 'parse') hooks.answer.tapPromise(name, async exchange => JSON.parse(exchange.prompt.chat.turns[0].blocks[0].text))
  },
})
`,
  provider: `import { defineProvider, liveAnswer, ProviderError, textAnswer } from 'deflector'
import { z } from 'zod'
export default defineProvider({
  name: 'their-provider',
  options: z.strictObject({ at: z.string(), key: z.string() }),
  apply(host, { at, key }) {
    return {
      keys: () => [{ key }],
      async complete(call) {
        if (at === 'complete') throw new TypeError('a bug in complete')
        if (at === 'refuse') throw new ProviderError('unavailable', 'down')
        if (at !== 'stream') return textAnswer('hi', { model: 'm' })
        return liveAnswer({ format: 'theirs', source: (async function* () {
          yield { events: [{ type: 'text', text: 'a' }], wire: 'a' }
          throw new TypeError('a bug in stream')
        })() })
      },
    }
  },
})
`,
  surface: `import { defineSurface } from 'deflector'
import { z } from 'zod'
export default defineSurface({
  name: 'their-surface',
  options: z.strictObject({}),
  apply(host) {
    host.route('POST', '/theirs', async call => {
      await call.body()
      throw new TypeError('a bug in route')
    })
    host.route('POST', '/parses', async call => void JSON.parse(Buffer.from(await call.body()).toString()))
  },
})
`,
}

/** A pipeline file among the plugins from outside. */
function outside({ layer = 'nothing', provider = 'nothing' } = {}): { file: string; folder: string } {
  const folder = tempFolder('theirs')
  for (const [name, text] of Object.entries(PLUGINS)) writeFileSync(join(folder, `${name}.ts`), text)
  const file = join(folder, 'pipeline.yaml')
  writeFileSync(
    file,
    `surfaces:
  http: { options: { port: 0 } }
  chat-completions: { flow: chat }
  strange: { use: ./surface.ts }
flows: { chat: [odd, cloud] }
layers:
  odd: { use: ./layer.ts, options: { at: ${layer} } }
  cloud: { options: { chain: [vendor], max_attempts: 1 } }
providers: { vendor: { use: ./provider.ts, options: { at: ${provider}, key: sk-very-secret } } }
`,
  )
  return { file, folder }
}

const PROMPT = 'Whisper-this-prompt to none'
const ask = { model: 'm', messages: [{ role: 'user', content: PROMPT }] }

/** The line names the instance and its file, has the stack of the plugin's own code, and tells nothing that is private. */
function checkLine(
  line: Line | undefined,
  { instance, file, at }: { instance: string; file: string; at: string },
): void {
  assert.ok(line, `nothing was logged of a bug in ${at}`)
  const { fields, message } = line
  assert.ok([fields.tap, fields.instance, fields.provider].includes(instance), `${at}: ${JSON.stringify(line)}`)
  assert.is(fields.file, file, at)
  assert.match(String(fields.stack), /^TypeError: a bug in /)
  assert.match(String(fields.stack), file)
  assert.match(`${message} ${fields.error}`, `a bug in ${at}`)
}

function checkPrivacy(lines: readonly Line[]): void {
  const all = JSON.stringify(lines)
  for (const secret of [PROMPT, 'Whisper', 'sk-very-secret', 'sk-client']) assert.not.match(all, secret)
}

for (const at of ['apply', 'start']) {
  test(`a plugin from outside that throws in ${at} is logged with instance, file and stack, at the start and at a reload`, async () => {
    const bad = outside({ layer: at })
    const { log, lines, problems } = logOf()
    const where = { instance: 'odd', file: join(bad.folder, 'layer.ts'), at }
    const settings = (): object => ({})
    const failed = await Gateway.start({ pipelineFile: bad.file, settings: () => ({ ...settings() }), log }).then(
      gateway => gateway.close(0),
      error => error,
    )
    assert.match(String(failed), `layer "odd" (${where.file}) did not`)
    assert.is(problems().length, 1)
    checkLine(problems()[0], where)

    const good = outside()
    const gateway = await Gateway.start({ pipelineFile: good.file, settings: () => ({}), log })
    opened(() => gateway.close(0))
    lines.length = 0
    const text = `layers: { odd: { use: ./layer.ts, options: { at: ${at} } } }\nflows: { chat: [odd] }\nsurfaces: { native: { flow: chat } }\n`
    writeFileSync(good.file, text)
    const { ok, reasons } = await gateway.reload()
    assert.not.ok(ok)
    assert.match(reasons[0] ?? '', 'layer "odd"')
    checkLine(
      problems().find(({ fields }) => fields.stack),
      { ...where, file: join(good.folder, 'layer.ts') },
    )
    checkPrivacy(lines)
  })
}

for (const [at, status] of [
  ['receive', 500],
  ['answer', 500],
  ['attempt', 500],
  ['attempted', 200],
  ['settle', 200],
  ['finish', 200],
] as const) {
  test(`a layer from outside that throws in ${at} is logged once, with instance, file and stack`, async () => {
    const { file, folder } = outside({ layer: at })
    const { log, problems, lines } = logOf()
    const gateway = await startGateway({ pipeline: file, log })
    const reply = await gateway.post('/v1/chat/completions', ask, { authorization: 'Bearer sk-client' })
    assert.is(reply.status, status)
    assert.not.match(reply.text, 'a bug')
    await gateway.close()
    assert.is(problems().length, 1, JSON.stringify(problems()))
    checkLine(problems()[0], { instance: 'odd', file: join(folder, 'layer.ts'), at })
    checkPrivacy(lines)
  })
}

test('a layer from outside that throws in recover is logged, and the client is told the first failure', async () => {
  const { file, folder } = outside({ layer: 'recover', provider: 'refuse' })
  const { log, problems, lines } = logOf()
  const gateway = await startGateway({ pipeline: file, log })
  assert.is((await gateway.post('/v1/chat/completions', ask)).status, 502)
  await gateway.close()
  checkLine(
    problems().find(({ fields }) => fields.stack),
    { instance: 'odd', file: join(folder, 'layer.ts'), at: 'recover' },
  )
  checkPrivacy(lines)
})

for (const stream of [false, true]) {
  test(`a provider from outside that throws in ${stream ? 'its stream' : 'complete'} is logged with instance, file and stack`, async () => {
    const at = stream ? 'stream' : 'complete'
    const { file, folder } = outside({ provider: at })
    const { log, problems, lines } = logOf()
    const gateway = await startGateway({ pipeline: file, log })
    const body = JSON.stringify({ ...ask, stream })
    const reply = await gateway.send('/v1/chat/completions', body, { authorization: 'Bearer sk-client' })
    assert.is(reply.status, stream ? 200 : 502)
    assert.not.match(reply.text, 'a bug')
    await gateway.close()
    const told = problems().filter(({ fields }) => fields.stack)
    assert.is(told.length, 1, JSON.stringify(problems()))
    checkLine(told[0], { instance: 'vendor', file: join(folder, 'provider.ts'), at })
    checkPrivacy(lines)
  })
}

test('a route from outside that throws is logged with instance, file and stack', async () => {
  const { file, folder } = outside()
  const { log, problems, lines } = logOf()
  const gateway = await startGateway({ pipeline: file, log })
  const reply = await gateway.send('/theirs', JSON.stringify(ask), { authorization: 'Bearer sk-client' })
  assert.is(reply.status, 500)
  assert.not.match(reply.text, 'a bug')
  await gateway.close()
  assert.is(problems().length, 1)
  checkLine(problems()[0], { instance: 'strange', file: join(folder, 'surface.ts'), at: 'route' })
  checkPrivacy(lines)
})

test('a parser’s message, which may quote what it read, is in no log; its stack is', async () => {
  const { file, folder } = outside({ layer: 'parse' })
  const { log, problems, lines } = logOf()
  const gateway = await startGateway({ pipeline: file, log })
  assert.is((await gateway.post('/v1/chat/completions', ask)).status, 500)
  assert.is((await gateway.send('/parses', PROMPT)).status, 500)
  await gateway.close()
  assert.equal(
    problems().map(({ fields }) => [fields.tap ?? fields.instance, fields.error]),
    [
      ['odd', 'SyntaxError'],
      ['strange', 'SyntaxError'],
    ],
  )
  for (const { fields } of problems()) assert.match(String(fields.stack), folder)
  checkPrivacy(lines)
})

test.run()
