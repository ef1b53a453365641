import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { packagedPipeline } from '../../../surfaces/cli/package.ts'
import { readPidFile } from '../../../surfaces/cli/pid-file.ts'
import { inShell } from './command.ts'
import { FREE, generation, up } from './gateway.ts'

test(
  'up tells where it serves what, leaves a private pid file, and SIGTERM ends it cleanly',
  inShell(async shell => {
    const { gateway, url, pidFile } = await up(shell, ['--demo', ...FREE], {
      SERVICE__LOG_FORMAT: 'text',
      SERVICE__CACHE_MODE: 'both',
    })
    assert.match(gateway.stdout, /pipeline +.*default\.yaml/)
    // The engine of l1b is another process: on a busy machine it may not be up yet.
    assert.match(
      gateway.stdout,
      /layers +l0 \(disabled\), l0_5 \(disabled\), l1a, l1b(?: \(degraded\))?, l2 \(disabled\), l2_5, l3/,
    )
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
    assert.match(gateway.stderr, /^\d\d:\d\d:\d\d info {2}listening {2}host=127\.0\.0\.1/)
  }),
)

test(
  'a gateway on a socket file is named by its path, and a command that needs a port says so',
  inShell(async shell => {
    const plugin = fileURLToPath(new URL('../../fixtures/third-party/admin-listener.ts', import.meta.url))
    const socket = join(shell.dataDir, 'admin.sock')
    const pipeline = `surfaces:
  admin: { use: '${plugin}', options: { path: '${socket}', serves: [health] } }
  health:
`
    shell.write('socket.yaml', pipeline)
    const gateway = shell.start(['up', '--pipeline', 'socket.yaml'], { SERVICE__LOG_FORMAT: 'text' })
    await gateway.says(/providers +none/)
    assert.match(gateway.stdout, `address    ${socket}\n`)
    const stats = await shell.run(['cache', 'stats'])
    assert.is(stats.code, 1)
    assert.match(stats.stderr, `listens on the socket file ${socket} only, and this needs a port`)
    const reload = await shell.run(['reload'])
    assert.is(reload.stdout, `reloaded: ${socket} serves generation 2\n`, reload.stderr)
    assert.is((await shell.run(['stop'])).stdout, `stopped: ${socket}\n`)
  }),
)

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))

test(
  'as JSON everything on stderr is a line of JSON, and stdout stays empty',
  inShell(async shell => {
    const noisy = { SERVICE__LOG_FORMAT: 'json', NODE_OPTIONS: '--trace-deprecation' }
    const plugin = `import { defineObserver } from 'deflector'
import { z } from 'zod'
export default defineObserver({
  name: 'noisy',
  options: z.strictObject({}),
  apply: host => host.onReady(() => process.emitWarning('two\\nlines')),
})
`
    shell.write('noisy.ts', plugin)
    const pipeline = 'surfaces: { http: { options: { port: 0 } } }\nobservers: { noisy: { use: ./noisy.ts } }\n'
    shell.write('noisy.yaml', pipeline)
    const { gateway, url } = await up(shell, ['--pipeline', 'noisy.yaml'], noisy)
    await gateway.says(/two\\nlines/)
    gateway.child.kill('SIGTERM')
    const { code, stdout, stderr } = await gateway.ended
    assert.is(code, 0)
    assert.is(stdout, '')
    const serving = linesOf(stderr).find(({ msg }) => msg === 'serving')
    assert.equal(
      { ...serving, time: '', version: '' },
      {
        level: 'info',
        time: '',
        version: '',
        address: url,
        pipeline: 'noisy.yaml',
        layers: [],
        providers: [],
        msg: 'serving',
      },
    )
    assert.is(linesOf(stderr).at(-1)?.msg, 'closed')
  }),
)

test(
  'SIGTERM loses no line: each request that was answered before it is there once',
  inShell(async shell => {
    const { gateway, url } = await up(shell, ['--demo', ...FREE])
    const ids: (string | null)[] = []
    for (let n = 0; n < 40; n++) {
      const body = JSON.stringify({ prompt: `What is ${n % 4} * 7?` })
      const reply = await fetch(`${url}/api/chat`, { method: 'POST', body })
      await reply.text()
      ids.push(reply.headers.get('x-service-request-id'))
    }
    gateway.child.kill('SIGTERM')
    const requests = linesOf((await gateway.ended).stderr).filter(({ msg }) => msg === 'request')
    assert.equal(
      requests.map(({ id }) => id),
      ids,
    )
  }),
)

test(
  'why nothing starts is a line of JSON, too, also where the log is silent',
  inShell(async shell => {
    for (const args of [
      ['--port', 'http'],
      ['--log-level', 'silent', '--pipeline', 'nope.yaml'],
    ]) {
      const { code, stdout, stderr } = await shell.run(['up', ...args])
      assert.is(code, 1)
      assert.is(stdout, '')
      const [line, ...more] = linesOf(stderr)
      assert.is(line?.level, 'error')
      assert.match(String(line?.msg), /^--(port|pipeline): /)
      assert.equal(more, [])
    }
  }),
)

test(
  'a folder that cannot be made is refused at the start, at a reload and by check, with the setting that names it',
  inShell(async shell => {
    const file = shell.write('a-file', '')
    const said = new RegExp(
      `request_log_path: there can be no folder ${file}/log \\(ENOTDIR\\); name a folder that the gateway may write to`,
    )
    const env = { SERVICE__ENABLE_REQUEST_LOGS: 'true', SERVICE__REQUEST_LOG_PATH: `${file}/log` }
    const started = await shell.run(['up', '--demo', ...FREE], env)
    assert.is(started.code, 1)
    assert.equal(
      linesOf(started.stderr).map(({ level }) => level),
      ['error'],
    )
    assert.match(started.stderr, said)
    const checked = await shell.run(['check'], env)
    assert.is(checked.code, 1)
    assert.match(checked.stdout, said)
    const { url } = await up(shell, ['--demo', ...FREE])
    shell.write('service.toml', `enable_request_logs = true\nrequest_log_path = "${file}/log"\n`)
    const reload = await shell.run(['reload'])
    assert.is(reload.code, 1)
    assert.match(reload.stderr, /service\.toml:2: request_log_path: there can be no folder/)
    assert.is(await generation(url), 1)
  }),
)

test(
  'no line is lost when the gateway ends of an uncaught exception, which is a line itself',
  inShell(async shell => {
    const plugin = `import { defineObserver } from 'deflector'
import { z } from 'zod'
export default defineObserver({
  name: 'crash',
  options: z.strictObject({}),
  apply: host =>
    host.onReady(() =>
      setImmediate(() => {
        for (let n = 0; n < 2000; n++) host.log.info('before the end', { n })
        throw new Error('this is the end')
      }),
    ),
})
`
    shell.write('crash.ts', plugin)
    shell.write('crash.yaml', 'surfaces: { http: { options: { port: 0 } } }\nobservers: { it: { use: ./crash.ts } }\n')
    const { code, stderr } = await shell.run(['up', '--pipeline', 'crash.yaml'])
    assert.is(code, 1)
    const lines = linesOf(stderr)
    assert.is(lines.filter(({ msg }) => msg === 'before the end').length, 2000)
    assert.is(lines.at(-1)?.error, 'this is the end')
    assert.match(String(lines.at(-1)?.stack), /^Error: this is the end\n/)
  }),
)

test(
  'a pipeline without a listener is refused at the start and at a reload',
  inShell(async shell => {
    shell.write('deaf.yaml', 'surfaces: { health: }\n')
    const { code, stdout, stderr } = await shell.run(['up', '--pipeline', 'deaf.yaml'])
    assert.is(code, 1)
    assert.is(stdout, '')
    const [line, ...more] = linesOf(stderr)
    assert.match(String(line?.msg), /deaf\.yaml: no surface of this pipeline listens; add one under "surfaces"/)
    assert.equal(more, [])
    shell.write('mine.yaml', 'surfaces: { http: { options: { port: 0 } }, health: }\n')
    const { url } = await up(shell, ['--pipeline', 'mine.yaml'])
    shell.write('mine.yaml', 'surfaces: { health: }\n')
    const reload = await shell.run(['reload'])
    assert.is(reload.code, 1)
    assert.match(reload.stderr, /no surface of this pipeline listens/)
    assert.is(await generation(url), 1)
  }),
)

test(
  'flags that the pipeline file overrides are said at the start',
  inShell(async shell => {
    shell.write('mine.yaml', "surfaces: { http: { options: { host: '${server.host}', port: 0 } } }\n")
    const args = ['--pipeline', 'mine.yaml', '--host', '127.0.0.1', '--port', '9999']
    const { gateway } = await up(shell, args)
    await gateway.says(/--port 9999 has no effect/)
    gateway.child.kill('SIGTERM')
    const lines = linesOf((await gateway.ended).stderr).map(({ msg }) => String(msg))
    assert.equal(
      lines.filter(line => line.startsWith('--')),
      [
        `--port 9999 has no effect: in mine.yaml surface "http" has 0; write '\${server.port}' there to follow the flag`,
      ],
    )
  }),
)

test(
  'the drain time is the setting drain_secs, and stop waits as long',
  inShell(async shell => {
    const vendor = createServer(() => {}).listen(0, '127.0.0.1')
    await once(vendor, 'listening')
    try {
      const address = vendor.address()
      const port = typeof address === 'object' && address ? address.port : 0
      const { gateway, url, pidFile } = await up(shell, FREE, {
        SERVICE__DRAIN_SECS: '1',
        SERVICE__EXTERNAL_LLM_URL: `http://127.0.0.1:${port}/v1`,
        SERVICE__EXTERNAL_LLM_API_KEY: 'k',
      })
      assert.is(readPidFile(pidFile)?.drainSecs, 1)
      const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] })
      const asked = once(vendor, 'request')
      const reply = fetch(`${url}/v1/chat/completions`, { method: 'POST', body })
      await asked
      assert.is((await shell.run(['stop'])).code, 0)
      assert.is((await reply).status, 503)
      assert.is((await gateway.ended).code, 0)
    } finally {
      vendor.closeAllConnections()
      vendor.close()
    }
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
  'a fallback without a key is warned about at the start and at a reload, and is not shown as one that serves',
  inShell(async shell => {
    const fallback = (more: string): string => `[[fallback_providers]]\nprovider = "groq"\n${more}`
    shell.write('service.toml', fallback(''))
    const { gateway, url } = await up(shell, FREE, { SERVICE__EXTERNAL_LLM_API_KEY: 'k' })
    const remedy = 'run "deflector set-key --provider groq", or set api_key (or provider_keys) of fallback_providers[0]'
    const what = `no credential for groq: it is never asked; ${remedy}`
    const warned = (): unknown[] => linesOf(gateway.stderr).filter(({ msg }) => String(msg).startsWith(what))
    await gateway.says(/no credential for groq/)
    assert.is(warned().length, 1)
    assert.match(JSON.stringify(linesOf(gateway.stderr)), 'fallback_providers[0], service.toml:1')
    assert.match(gateway.stderr, '"providers":["openai","groq (no_credential)"]')
    const l3 = async (): Promise<unknown> => {
      const { layers }: { layers: Record<string, unknown> } = JSON.parse(await (await fetch(`${url}/health`)).text())
      return layers.l3
    }
    assert.is(await l3(), 'degraded')
    assert.is((await shell.run(['reload'])).code, 0)
    assert.is(warned().length, 2)
    shell.write('service.toml', fallback('api_key = "k2"\n'))
    assert.is((await shell.run(['reload'])).code, 0)
    assert.is(await l3(), 'active')
    assert.is(warned().length, 2)
  }),
)

test(
  'a mistake of a setting is told by the setting and where it was set, at the start and at a reload',
  inShell(async shell => {
    const wrong = '[[fallback_providers]]\nprovider = "opnai"\n'
    shell.write('service.toml', wrong)
    const misspelt = await shell.run(['up', ...FREE])
    assert.is(misspelt.code, 1)
    const told = 'did you mean \\"openai\\"? (fallback_providers[0].provider comes from service.toml:2)'
    assert.match(misspelt.stderr, told)
    const linted = await shell.run(['pipeline', 'lint', packagedPipeline()])
    assert.match(linted.stdout, told.replaceAll('\\', ''))
    shell.write('service.toml', '')
    const missing = await shell.run(['up', ...FREE], { SERVICE__LLM_PROVIDER: 'custom' })
    assert.match(missing.stderr, 'is missing (set external_llm_url in service.toml, or SERVICE__EXTERNAL_LLM_URL)')
    await up(shell, FREE)
    shell.write('service.toml', wrong)
    const reload = await shell.run(['reload'])
    assert.is(reload.code, 1)
    assert.match(reload.stderr, told.replaceAll('\\', ''))
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
    assert.match(second.stderr, new RegExp(`"msg":"127\\.0\\.0\\.1:${port} is already in use: .*\\n$`))
    assert.is(existsSync(pidFile), true)
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
  'stop --force needs no consent, and a stale pid file is removed',
  inShell(async shell => {
    const { gateway, pidFile } = await up(shell, ['--demo', ...FREE])
    gateway.child.kill('SIGKILL')
    await gateway.ended
    assert.is(existsSync(pidFile), true)
    const reload = await shell.run(['reload', '--pid-file', pidFile])
    assert.is(reload.code, 1)
    assert.match(reload.stderr, /was stale and has been removed/)
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
