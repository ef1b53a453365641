import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../support/until.ts'
import { inShell } from './command.ts'
import { FREE, up } from './gateway.ts'

test(
  'a gateway that is killed while it logs leaves lines that can be read, and the next one goes on behind them',
  inShell(async shell => {
    const env = { SERVICE__ENABLE_REQUEST_LOGS: 'true', SERVICE__REQUEST_LOG_PATH: join(shell.root, 'log') }
    const file = join(shell.root, 'log', 'requests.jsonl')
    const ask = (url: string, prompt: string): Promise<unknown> =>
      fetch(`${url}/api/chat`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt }),
      }).then(reply => reply.text())
    const first = await up(shell, ['--demo', ...FREE], env)
    const asked = Array.from({ length: 60 }, (_, i) =>
      ask(first.url, `what is ${i} + ${i}? ${'x'.repeat(20_000)}`).catch(() => {}),
    )
    await until('some are logged', () => readFileSync(file, 'utf8').includes('\n'))
    first.gateway.child.kill('SIGKILL')
    await first.gateway.ended
    await Promise.all(asked)
    const second = await up(shell, ['--demo', ...FREE], env)
    await ask(second.url, 'what is 7 + 7?')
    const lines = (): string[] => readFileSync(file, 'utf8').split('\n')
    await until('the next one logs', () => lines().some(line => line.includes('7 + 7')))
    assert.is(lines().at(-1), '')
    for (const line of lines().slice(0, -1)) assert.type(JSON.parse(line).request_id, 'string')
  }),
)

test.run()
