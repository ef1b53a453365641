import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packagedPipeline } from '../../../surfaces/cli/package.ts'
import { inShell } from './command.ts'
import { FREE, generation, up } from './gateway.ts'

function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  return new Promise(resolve => {
    server.once('listening', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

test(
  'reload says that the new generation serves, or why the old one still does',
  inShell(async shell => {
    const good = readFileSync(packagedPipeline(), 'utf8')
    const file = shell.write('mine.yaml', good)
    const { url } = await up(shell, ['--demo', '--pipeline', 'mine.yaml', ...FREE])
    assert.is(await generation(url), 1)
    writeFileSync(file, good.replace('admission:   [auth]', 'admission:   []'))
    const first = await shell.run(['reload'])
    assert.is(first.code, 0, first.stderr)
    assert.match(first.stdout, `${url} serves generation 2`)
    assert.is(await generation(url), 2)

    writeFileSync(file, `${good}\nlayerz: {}\n`)
    const second = await shell.run(['reload'])
    assert.is(second.code, 1)
    assert.match(second.stderr, /mine\.yaml:\d+:1 error unknown_key/)
    assert.match(second.stderr, `not reloaded: ${url} still serves generation 2`)
    assert.is(await generation(url), 2)

    writeFileSync(file, good)
    shell.write('service.toml', 'cache_mode = 5\n')
    const third = await shell.run(['reload'])
    assert.is(third.code, 1)
    assert.match(third.stderr, /service\.toml:1: cache_mode must be/)
  }),
)

test(
  'a reload that moves the gateway to another port is followed by the pid file',
  inShell(async shell => {
    const pipeline = readFileSync(packagedPipeline(), 'utf8')
    const file = shell.write('mine.yaml', pipeline)
    const { url, pidFile } = await up(shell, ['--demo', '--pipeline', 'mine.yaml', ...FREE])
    const port = await freePort()
    writeFileSync(file, pipeline.replace(`'\${server.port}'`, String(port)))
    const { code, stderr } = await shell.run(['reload'])
    assert.is(code, 0, stderr)
    assert.is(existsSync(pidFile), false)
    assert.is(await generation(`http://127.0.0.1:${port}`), 2)
    assert.match((await shell.run(['stop'])).stdout, `stopped: http://127.0.0.1:${port}`)
    assert.is.not(url, `http://127.0.0.1:${port}`)
    assert.equal(
      readdirSync(shell.dataDir).filter(name => /\.(?:pid|lock)$/.test(name)),
      [],
    )
  }),
)

test(
  'a reload says of a changed log level or format that it waits for the next start',
  inShell(async shell => {
    const { gateway } = await up(shell, ['--demo', ...FREE])
    assert.is((await shell.run(['reload'])).code, 0)
    assert.not.match(gateway.stderr, /until the next start/)
    shell.write('service.toml', "log_level = 'error'\nlog_format = 'text'\n")
    assert.is((await shell.run(['reload'])).code, 0)
    await gateway.says(/log_level is \\"info\\" until the next start, and \\"error\\" from then on/)
    await gateway.says(/log_format is \\"auto\\" until the next start, and \\"text\\" from then on/)
  }),
)

test(
  '--watch reloads when the pipeline, the settings or a plugin is written',
  inShell(async shell => {
    const plugin = (text: string): string => `import { defineProvider, textAnswer } from 'deflector'
import { z } from 'zod'
export default defineProvider({
  name: 'squawk', options: z.strictObject({}),
  apply: () => ({ complete: async () => textAnswer('${text}', { model: 'parrot-1' }) }),
})
`
    const pipeline = `surfaces:
  http: { options: { host: '127.0.0.1', port: 0 } }
  native: { flow: chat }
  health: {}
flows: { chat: [cloud] }
layers: { cloud: { options: { chain: [squawk] } } }
providers: { squawk: { use: ./squawk.ts } }
`
    const squawk = shell.write('squawk.ts', plugin('one'))
    const file = shell.write('mine.yaml', pipeline)
    const { gateway, url } = await up(shell, ['--watch', '--pipeline', 'mine.yaml'])
    const said = async (): Promise<unknown> => {
      const request = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"prompt":"hi"}' }
      const reply: { message: unknown } = JSON.parse(await (await fetch(`${url}/api/chat`, request)).text())
      return reply.message
    }
    assert.is(await said(), 'one')
    writeFileSync(squawk, plugin('two'))
    await gateway.says(/"generation":2,"msg":"reloaded"/)
    assert.is(await said(), 'two')
    writeFileSync(file, `${pipeline}# a word\n`)
    await gateway.says(/"generation":3,"msg":"reloaded"/)
    shell.write('service.toml', 'cache_mode = 5\n')
    await gateway.says(/not reloaded: service\.toml:1: cache_mode/)
  }),
)

test.run()
