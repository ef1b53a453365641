import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startUpstream } from '../../../support/upstream.ts'
import { type Ended, inShell } from '../command.ts'
import { FREE, up } from '../gateway.ts'

const CANARY = 'sk-canary-5e1f0b7a9c'
/** Tests use no keyring of the person who runs them. */
const NO_KEYRING = { SERVICE__CREDENTIAL_KEYRING: 'false' }

const saysNothing = ({ stdout, stderr }: Ended): void => assert.not.match(stdout + stderr, new RegExp(CANARY))

const ask = (url: string, prompt: string): Promise<Response> =>
  fetch(`${url}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prompt }),
  })

const providerHealth = async (url: string): Promise<unknown> => {
  const { layers }: { layers: Record<string, unknown> } = JSON.parse(await (await fetch(`${url}/health`)).text())
  return layers.l3
}

test(
  'a gateway without a key serves, warns and answers 502; after set-key the next request reaches the vendor with it',
  inShell(async shell => {
    const upstream = await startUpstream()
    const env = { ...NO_KEYRING, SERVICE__EXTERNAL_LLM_URL: upstream.url, SERVICE__LOG_LEVEL: 'debug' }
    const { gateway, url } = await up(shell, FREE, env)
    await gateway.says(/no credential for openai.*deflector set-key --provider openai/)
    assert.is((await ask(url, 'first')).status, 502)
    assert.equal(upstream.calls, [])
    assert.is(await providerHealth(url), 'no_credential')

    const stored = await shell.run(['set-key', '--provider', 'openai'], env, `${CANARY}\n`)
    assert.is(stored.code, 0, stored.stderr)
    assert.match(stored.stdout, /^stored: the key of openai \(sk…9c\), encrypted with the master key in .*master\.key/)
    saysNothing(stored)
    await gateway.says(/stored credentials changed/)

    assert.is(await providerHealth(url), 'active')
    assert.is((await ask(url, 'second')).status, 200)
    assert.is(upstream.calls[0]?.headers.authorization, `Bearer ${CANARY}`)

    const replaced = await shell.run(['set-key', '--provider', 'openai'], env, `${CANARY}-2`)
    assert.is(replaced.code, 0, replaced.stderr)
    await gateway.says(/stored credentials changed[\s\S]*stored credentials changed/)
    assert.is((await ask(url, 'third')).status, 200)
    assert.is(upstream.calls[1]?.headers.authorization, `Bearer ${CANARY}-2`)

    gateway.child.kill('SIGTERM')
    saysNothing(await gateway.ended)
    const folder = join(shell.dataDir, 'credentials')
    assert.equal(readdirSync(folder).sort(), ['master.json', 'master.key', 'openai.enc'])
    for (const name of readdirSync(folder)) {
      assert.is(statSync(join(folder, name)).mode & 0o777, 0o600, name)
      assert.is(readFileSync(join(folder, name)).includes(CANARY), false, name)
    }
  }),
)

test(
  'a stored key is there at the next start; one in the settings comes first, and set-key says so',
  inShell(async shell => {
    const upstream = await startUpstream()
    const env = { ...NO_KEYRING, SERVICE__EXTERNAL_LLM_URL: upstream.url }
    const file = shell.write('key', `${CANARY}\n`)
    const configured = { ...env, SERVICE__EXTERNAL_LLM_API_KEY: 'sk-of-the-settings' }
    const stored = await shell.run(['set-key', '--provider', 'openai', '--key-file', file], configured)
    assert.is(stored.code, 0, stored.stderr)
    assert.match(stored.stderr, /the settings give openai a key, and that one is used/)
    saysNothing(stored)
    for (const [around, key] of [
      [env, CANARY],
      [configured, 'sk-of-the-settings'],
    ] as const) {
      const { gateway, url } = await up(shell, FREE, around)
      assert.is((await ask(url, key)).status, 200)
      assert.is(upstream.calls.at(-1)?.headers.authorization, `Bearer ${key}`)
      gateway.child.kill('SIGTERM')
      assert.not.match((await gateway.ended).stderr, /no credential/)
    }
  }),
)

test(
  "a key is stored under its vendor's name for every provider of that vendor, and a typing error is refused",
  inShell(async shell => {
    const store = (name: string): Promise<Ended> => shell.run(['set-key', '--provider', name], NO_KEYRING, CANARY)
    assert.match((await store('groq-responses')).stdout, /the key of groq /)
    assert.match((await store('google')).stdout, /the key of gemini /)
    const wrong = await store('gorq')
    assert.is(wrong.code, 1)
    assert.match(wrong.stderr, /there is no provider "gorq".*groq/)
    shell.write('service.toml', '[[fallback_providers]]\nprovider = "groq"\nname = "groq-eu"\n')
    assert.match((await store('groq-eu')).stdout, /the key of groq-eu /)
    assert.equal(
      readdirSync(join(shell.dataDir, 'credentials')).filter(name => name.endsWith('.enc')),
      ['gemini.enc', 'groq-eu.enc', 'groq.enc'],
    )
  }),
)

test(
  'what is no key is refused, and a key on the command line is warned of',
  inShell(async shell => {
    const args = ['set-key', '--provider', 'groq']
    const empty = await shell.run(args, NO_KEYRING, ' \n')
    assert.match(empty.stderr, /stdin is empty/)
    const two = await shell.run(args, NO_KEYRING, `${CANARY} ${CANARY}`)
    assert.match(two.stderr, /spaces or line breaks/)
    saysNothing(two)
    const foreign = await shell.run(args, NO_KEYRING, `${CANARY}é`)
    assert.match(foreign.stderr, /no key has, so no vendor can be sent it/)
    saysNothing(foreign)
    const long = await shell.run([...args, '--key-file', shell.write('long', 'k'.repeat(70_000))], NO_KEYRING)
    assert.match(long.stderr, /longer than any key/)
    assert.equal([empty.code, two.code], [1, 1])
    const account = await shell.run(['set-key', '--provider', 'vertex'], NO_KEYRING, '{\n "private_key": "x"\n}\n')
    assert.is(account.code, 0, account.stderr)
    const shown = await shell.run([...args, '--key', CANARY], NO_KEYRING)
    assert.is(shown.code, 0)
    assert.match(shown.stderr, /can be seen by every process/)
    saysNothing(shown)
  }),
)

test(
  'a gateway that cannot decrypt says what to do, and serves what it can',
  inShell(async shell => {
    const upstream = await startUpstream()
    const env = { ...NO_KEYRING, SERVICE__EXTERNAL_LLM_URL: upstream.url }
    await shell.run(
      ['set-key', '--provider', 'openai'],
      { ...env, SERVICE__CREDENTIAL_KEY: 'the text of one operator' },
      CANARY,
    )
    const { gateway, url } = await up(shell, FREE, { ...env, SERVICE__CREDENTIAL_KEY: 'the text of another one' })
    await gateway.says(/SERVICE__CREDENTIAL_KEY is not the text/)
    const refused = await ask(url, 'first')
    assert.is(refused.status, 502)
    assert.match(await refused.text(), 'openai has no key: the stored credential cannot be read')
    gateway.child.kill('SIGTERM')
    saysNothing(await gateway.ended)
  }),
)

test.run()
