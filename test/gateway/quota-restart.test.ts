import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'
import { inShell, type Shell } from '../surfaces/cli/command.ts'
import { FREE, type Up, up } from '../surfaces/cli/gateway.ts'

const upstream = await startUpstream()
test.after(() => upstream.close())
test.before.each(() => upstream.clear())

const asking = (content: string) => ({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content }] })

const start = (shell: Shell): Promise<Up> =>
  up(shell, FREE, {
    SERVICE__CACHE_MODE: 'exact',
    SERVICE__EXTERNAL_LLM_URL: upstream.url,
    SERVICE__EXTERNAL_LLM_API_KEY: 'k',
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '180',
    SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'block',
  })

const ask = async ({ url }: Up, content: string): Promise<number> => {
  const body = JSON.stringify(asking(content))
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })).status
}

const journalOf = ({ dataDir }: Shell): string => {
  const folder = join(dataDir, 'quota')
  return readdirSync(folder)
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('')
}

const kill = async ({ gateway: { child, ended } }: Up): Promise<void> => {
  child.kill('SIGKILL')
  await ended
}

test(
  'what a killed gateway had reserved counts in full once it is started again',
  inShell(async shell => {
    upstream.script({ silent: true })
    const first = await start(shell)
    const open = ask(first, 'on its way').catch(() => 'cut off')
    await upstream.arrived(1)
    await kill(first)
    assert.is(await open, 'cut off')
    const second = await start(shell)
    const refused = await Promise.all(Array.from({ length: 64 }, (_, i) => ask(second, `question ${i}`)))
    assert.equal(new Set(refused), new Set([429]))
    assert.is(upstream.calls.length, 1)
    await kill(second)
  }),
)

test(
  'what a killed gateway had settled counts as it was used',
  inShell(async shell => {
    upstream.script({ usage: { input: 20, output: 5 } }, { usage: { input: 20, output: 5 } })
    const first = await start(shell)
    assert.is(await ask(first, 'one'), 200)
    await until('what it took is written', () => /",-\d/.test(journalOf(shell)))
    await kill(first)
    const second = await start(shell)
    assert.is(await ask(second, 'two'), 200)
    await kill(second)
  }),
)

test.run()
