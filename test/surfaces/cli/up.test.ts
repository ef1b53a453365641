import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inShell } from './command.ts'
import { FREE, generation, up } from './gateway.ts'

test(
  'up tells where it serves what, leaves a private pid file, and SIGTERM ends it cleanly',
  inShell(async shell => {
    const { gateway, url, pidFile } = await up(shell, ['--demo', ...FREE])
    assert.match(gateway.stdout, /pipeline +.*default\.yaml/)
    assert.match(gateway.stdout, /layers +l0 \(disabled\), l1a, l1b, l3/)
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
