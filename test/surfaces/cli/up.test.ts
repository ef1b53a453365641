import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packagedPipeline } from '../../../surfaces/cli/package.ts'
import { inShell, type Shell, type Started } from './command.ts'

const FREE = ['--port', '0', '--host', '127.0.0.1']

interface Up {
  readonly gateway: Started
  readonly url: string
  readonly pidFile: string
}

async function up(shell: Shell, args: readonly string[], env: Record<string, string> = {}): Promise<Up> {
  const gateway = shell.start(['up', ...args], env)
  const [, url = ''] = await gateway.says(/address +(http:\S+)/)
  await gateway.says(/providers +\S/)
  return { gateway, url, pidFile: join(shell.dataDir, `gateway-${new URL(url).port}.pid`) }
}

function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  return new Promise(resolve => {
    server.once('listening', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

const generation = async (url: string): Promise<unknown> => {
  const health: { generation: unknown } = JSON.parse(await (await fetch(`${url}/health`)).text())
  return health.generation
}

test(
  'up tells where it serves what, leaves a private pid file, and SIGTERM ends it cleanly',
  inShell(async shell => {
    const { gateway, url, pidFile } = await up(shell, ['--demo', ...FREE])
    assert.match(gateway.stdout, /pipeline +.*default\.yaml/)
    assert.match(gateway.stdout, /layers +l0, .*l3/)
    assert.match(gateway.stdout, /providers +demo$/m)
    const health: { demo_mode: unknown } = JSON.parse(await (await fetch(`${url}/health`)).text())
    assert.is(health.demo_mode, true)
    assert.is(statSync(pidFile).mode & 0o777, 0o600)
    assert.is(statSync(shell.dataDir).mode & 0o777, 0o700)
    assert.is(readFileSync(pidFile, 'utf8').split('\n')[0], String(gateway.child.pid))
    gateway.child.kill('SIGTERM')
    assert.is((await gateway.ended).code, 0)
    assert.is(existsSync(pidFile), false)
    assert.not.match(gateway.stderr, /may use this gateway|no credential/)
    for (const line of gateway.stderr.trim().split('\n')) assert.type(JSON.parse(line).msg, 'string')
  }),
)

test(
  'an open address and a missing credential are warned about by the names of their settings',
  inShell(async shell => {
    const { gateway } = await up(shell, ['--port', '0', '--host', '0.0.0.0'])
    await gateway.says(/SERVICE__GATEWAY_API_KEY\), or server\.host \(SERVICE__HOST\)/)
    await gateway.says(/no credential for openai: .*SERVICE__EXTERNAL_LLM_API_KEY/)
  }),
)

test(
  'a key closes the open address',
  inShell(async shell => {
    const { gateway } = await up(shell, ['--demo', '--port', '0', '--host', '0.0.0.0'], {
      SERVICE__GATEWAY_API_KEY: 'secret-secret',
    })
    gateway.child.kill('SIGINT')
    assert.is((await gateway.ended).code, 0)
    assert.not.match(gateway.stderr, /may use this gateway/)
  }),
)

test(
  'a port in use is one line and exit code 1, and the first gateway keeps its pid file',
  inShell(async shell => {
    const { url, pidFile } = await up(shell, ['--demo', ...FREE])
    const { port } = new URL(url)
    const second = await shell.run(['up', '--demo', '--port', port, '--host', '127.0.0.1'])
    assert.is(second.code, 1)
    assert.is(second.stdout, '')
    assert.match(second.stderr, new RegExp(`^deflector: 127\\.0\\.0\\.1:${port} is already in use: .*\\n$`))
    assert.is(existsSync(pidFile), true)
  }),
)

test(
  'reload says that the new generation serves, or why the old one still does',
  inShell(async shell => {
    const good = readFileSync(packagedPipeline(), 'utf8')
    const file = shell.write('mine.yaml', good)
    const { url } = await up(shell, ['--demo', '--pipeline', 'mine.yaml', ...FREE])
    assert.is(await generation(url), 1)
    writeFileSync(file, good.replace('door:   [auth]', 'door:   []'))
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
    assert.equal(readdirSync(shell.dataDir), ['compiled'])
  }),
)

test(
  'stop ends the gateway and waits for it; afterwards there is none',
  inShell(async shell => {
    const { gateway, url, pidFile } = await up(shell, ['--demo', ...FREE])
    const stopped = await shell.run(['stop'])
    assert.is(stopped.code, 0, stopped.stderr)
    assert.is(stopped.stdout, `stopped: ${url}\n`)
    assert.is((await gateway.ended).code, 0)
    assert.is(existsSync(pidFile), false)
    const again = await shell.run(['stop'])
    assert.is(again.code, 1)
    assert.match(again.stderr, /^deflector: no gateway is running/)
  }),
)

test(
  'stop --force needs no consent, and the note left behind is found out',
  inShell(async shell => {
    const { gateway, pidFile } = await up(shell, ['--demo', ...FREE])
    gateway.child.kill('SIGKILL')
    await gateway.ended
    assert.is(existsSync(pidFile), true)
    const reload = await shell.run(['reload', '--pid-file', pidFile])
    assert.is(reload.code, 1)
    assert.match(reload.stderr, /left by a gateway that is gone/)
    assert.is(existsSync(pidFile), false)
    const next = await up(shell, ['--demo', ...FREE])
    assert.is((await shell.run(['stop', '--force', '--pid-file', next.pidFile])).code, 0)
    assert.is((await next.gateway.ended).code, null)
    assert.is(existsSync(next.pidFile), false)
  }),
)

test(
  'with several gateways one must be named',
  inShell(async shell => {
    const one = await up(shell, ['--demo', ...FREE])
    const two = await up(shell, ['--demo', ...FREE])
    const unnamed = await shell.run(['stop'])
    assert.is(unnamed.code, 1)
    assert.match(unnamed.stderr, /several gateways are running: name one with --port/)
    assert.is((await shell.run(['stop', '--port', new URL(two.url).port])).code, 0)
    assert.is(await generation(one.url), 1)
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

test(
  '--detach comes back once the gateway serves, and fails with its reason',
  inShell(async shell => {
    const { code, stdout, stderr } = await shell.run(['up', '--demo', '--detach', ...FREE])
    assert.is(code, 0, stderr)
    const [, url = ''] = /serves at (\S+)/.exec(stdout) ?? []
    try {
      assert.is(await generation(url), 1)
      const { port } = new URL(url)
      const second = await shell.run(['up', '--demo', '--detach', '--port', port, '--host', '127.0.0.1'])
      assert.is(second.code, 1)
      assert.match(second.stderr, /is already in use/)
      assert.match(second.stderr, /the log is .*gateway-\d+\.log/)
    } finally {
      assert.is((await shell.run(['stop'])).code, 0)
    }
    assert.equal(
      readdirSync(shell.dataDir).filter(name => name.endsWith('.pid')),
      [],
    )
  }),
)

test.run()
