import { createInterface } from 'node:readline'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { until } from '../../support/until.ts'
import { inShell, type Shell, type Started } from './command.ts'
import { FREE, type Up, up } from './gateway.ts'

const KEY = 'a-gateway-key'
const keyed = { SERVICE__GATEWAY_API_KEY: KEY }

const ask = async (url: string, prompt: string, agent = 'curl/8'): Promise<string> => {
  const reply = await fetch(`${url}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY, 'user-agent': agent },
    body: JSON.stringify({ prompt }),
  })
  await reply.text()
  return reply.headers.get('x-service-request-id') ?? ''
}

/** Asks until the tap has shown one, as nothing says when it is connected. */
async function connected(tapped: Started, { url }: Pick<Up, 'url'>): Promise<void> {
  await until('the tap shows requests', async () => {
    await ask(url, 'what is 2+2?')
    return tapped.stdout !== ''
  })
}

const lines = (text: string): string[] => text.split('\n').filter(line => line !== '')

test(
  'tap prints each decision, or those that are wanted, and refuses without the key',
  inShell(async shell => {
    const { url } = await up(shell, ['--demo', ...FREE], keyed)
    const strange = shell.run(['tap', '--gateway-url', url])
    const all = shell.start(['tap', '--json'], keyed)
    const some = shell.start(['tap', '--tool', 'aider', '--layer', 'l1a', '--status', '2', '--limit', '2'], keyed)
    const none = shell.start(['tap', '--model', 'nobody-has-this', '--limit', '1'], keyed)
    await connected(all, { url })
    await until('the other two are connected', async () => {
      await ask(url, 'what is 2+2?', 'aider/1')
      return some.child.exitCode !== null
    })
    const ended = await some.ended
    assert.is(ended.code, 0, ended.stderr)
    assert.is(lines(ended.stdout).length, 2)
    for (const line of lines(ended.stdout))
      assert.match(line, /^\d\d:\d\d:\d\d {2}l1a +200 +\d+ ms +aider +aider +\S+ +saved \d+ tokens +default +\w{24}$/)

    const id = await ask(url, 'what is 2+2?')
    await all.says(new RegExp(`"id":"${id}"`))
    const last = JSON.parse(lines(all.stdout).at(-1) ?? '')
    assert.equal(
      [
        last.id,
        last.layer,
        last.status,
        last.tool,
        last.client,
        last.provider,
        last.error,
        last.saved > 0,
        last.cost_usd,
      ],
      [id, 'l1a', 200, 'curl', 'direct', null, null, true, 0],
    )
    all.child.kill('SIGINT')
    assert.is((await all.ended).code, 0, 'SIGINT is how it ends')
    none.child.kill('SIGINT')
    assert.equal([(await none.ended).code, none.stdout], [0, ''])
    assert.is((await strange).code, 1)
    assert.match((await strange).stderr, 'needs gateway_api_key')
  }),
)

test(
  'tap shows key and tags of a request, and chooses by them',
  inShell(async shell => {
    const settings = { ...keyed, SERVICE__GATEWAY_API_KEYS: JSON.stringify([{ key: 'key-of-ann-01', label: 'ann' }]) }
    const { url } = await up(shell, ['--demo', ...FREE], settings)
    const tapped = ['--key', '--tag'].map((name, at) =>
      shell.start(['tap', name, at === 0 ? 'ann' : 'nightly', '--limit', '1'], settings),
    )
    await until('both have shown one', async () => {
      await ask(url, 'what is 2+2?')
      const headers = {
        'content-type': 'application/json',
        'x-api-key': 'key-of-ann-01',
        'x-service-tags': 'nightly, b',
      }
      await (await fetch(`${url}/api/chat`, { method: 'POST', headers, body: '{"prompt":"what is 2+2?"}' })).text()
      return tapped.every(({ child }) => child.exitCode !== null)
    })
    for (const { ended } of tapped) assert.match((await ended).stdout, / ann +\w{24} {2}nightly, b$/m)
  }),
)

test(
  'tap follows a gateway that is killed and comes back, and ends when its reader leaves',
  inShell(async shell => {
    const first = await up(shell, ['--demo', ...FREE])
    const reader = piped(shell, first.url)
    await until('the tap shows requests', async () => {
      await ask(first.url, 'what is 2+2?')
      return reader.seen.length > 0
    })
    first.gateway.child.kill('SIGKILL')
    await first.gateway.ended
    await reader.says(/connecting again/)
    const again = await up(shell, ['--demo', '--port', new URL(first.url).port, '--host', '127.0.0.1'])
    await reader.says(/connected to http:\S+ again/)
    const before = reader.seen.length
    await until('it shows requests of the new one', async () => {
      await ask(again.url, 'what is 2+2?')
      return reader.seen.length > before
    })
    reader.leave()
    await until('it ends by the closed pipe', async () => {
      await ask(again.url, 'what is 2+2?')
      return reader.child.exitCode !== null
    })
    assert.is(reader.child.exitCode, 0)
  }),
)

/** A tap whose stdout can be closed under it. */
function piped(shell: Shell, url: string) {
  const { child } = shell.start(['tap', '--gateway-url', url])
  const seen: string[] = []
  let said = ''
  child.stderr?.on('data', text => {
    said += text
  })
  if (child.stdout) createInterface(child.stdout).on('line', line => seen.push(line))
  return {
    child,
    seen,
    says: (pattern: RegExp) => until(`it says ${pattern}`, () => pattern.test(said)),
    leave: () => void child.stdout?.destroy(),
  }
}

test.run()
