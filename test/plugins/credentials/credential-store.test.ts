import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Credential, CredentialError, CredentialStore } from 'deflector/credentials'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { tempFolder } from '../../support/opened.ts'
import { SOURCES } from '../../support/typescript/flags.mjs'

const SECRET = 'sk-canary-0123456789'
const pasted = (key = SECRET): Credential => ({ kind: 'key', key, stored_at: 1 })

const storeIn = (dataDir: string, masterKey?: string): CredentialStore =>
  new CredentialStore({ dataDir, masterKey, keyring: false })

/** The message of a refusal, which never holds the secret. */
async function refusal(run: Promise<unknown>): Promise<string> {
  try {
    await run
  } catch (error) {
    assert.instance(error, CredentialError)
    const { message, stack = '' } = error as CredentialError
    assert.is(stack.includes(SECRET), false)
    return message
  }
  throw new Error('it was not refused')
}

/** Every file of the folder, as it is. */
const contentOf = (folder: string): string =>
  readdirSync(folder)
    .sort()
    .map(name => `${name} ${readFileSync(join(folder, name), 'hex')}`)
    .join('\n')

test('a key comes back in another process of the same user, and no file shows it', async () => {
  const dataDir = tempFolder('credentials')
  const store = storeIn(dataDir)
  assert.equal(await store.names(), [])
  assert.is(await store.get('groq'), undefined)
  await store.set('groq', pasted())
  assert.equal(await storeIn(dataDir).get('groq'), pasted())
  assert.equal(await store.names(), ['groq'])
  for (const name of readdirSync(store.folder)) {
    assert.is(readFileSync(join(store.folder, name)).includes(SECRET), false, name)
    assert.is(statSync(join(store.folder, name)).mode & 0o777, 0o600, name)
  }
  assert.is(statSync(store.folder).mode & 0o777, 0o700)
  assert.equal(readdirSync(store.folder).sort(), ['groq.enc', 'master.json', 'master.key'])
})

test('nothing is written before the first credential', async () => {
  const dataDir = tempFolder('credentials')
  const store = storeIn(dataDir)
  assert.is(await store.remove('groq'), false)
  assert.equal(readdirSync(dataDir), [])
})

test('a changed file is refused and stays as it is, until it is removed', async () => {
  const store = storeIn(tempFolder('credentials'))
  await store.set('groq', pasted())
  const file = join(store.folder, 'groq.enc')
  const sealed = readFileSync(file)
  sealed[40] = (sealed[40] ?? 0) ^ 1
  writeFileSync(file, sealed)
  const before = contentOf(store.folder)
  assert.match(await refusal(store.get('groq')), /groq\.enc cannot be decrypted.*auth logout groq/)
  assert.match(await refusal(store.update('groq', async () => pasted('sk-other'))), /cannot be decrypted/)
  assert.is(contentOf(store.folder), before)
  assert.is(await store.remove('groq'), true)
  await store.set('groq', pasted('sk-other'))
  assert.equal(await store.get('groq'), pasted('sk-other'))
})

test("one provider's file does not stand in for another's", async () => {
  const store = storeIn(tempFolder('credentials'))
  await store.set('groq', pasted())
  copyFileSync(join(store.folder, 'groq.enc'), join(store.folder, 'openai.enc'))
  assert.match(await refusal(store.get('openai')), /belongs elsewhere/)
})

test('with another master key nothing is read and nothing is overwritten', async () => {
  const dataDir = tempFolder('credentials')
  const store = storeIn(dataDir, 'a long text of the operator')
  await store.set('groq', pasted())
  assert.is(existsSync(join(store.folder, 'master.key')), false)
  assert.equal(await storeIn(dataDir, 'a long text of the operator').get('groq'), pasted())
  const before = contentOf(store.folder)
  const other = storeIn(dataDir, 'quite another text')
  for (const run of [() => other.get('groq'), () => other.set('groq', pasted()), () => other.set('openai', pasted())])
    assert.match(await refusal(run()), /SERVICE__CREDENTIAL_KEY is not the text/)
  const without = storeIn(dataDir)
  for (const run of [() => without.get('groq'), () => without.set('openai', pasted())])
    assert.match(await refusal(run()), /SERVICE__CREDENTIAL_KEY, which is not set/)
  assert.is(contentOf(store.folder), before)
})

test('a setting does not replace the key file that credentials were encrypted with', async () => {
  const dataDir = tempFolder('credentials')
  const store = storeIn(dataDir)
  await store.set('groq', pasted())
  assert.match(await refusal(storeIn(dataDir, 'another long text').get('groq')), /unset it, or remove/)
  // With nothing left to read, the setting is chosen.
  await store.remove('groq')
  await storeIn(dataDir, 'another long text').set('groq', pasted())
  assert.match(await refusal(storeIn(dataDir).get('groq')), /which is not set/)
})

test('a text that could be guessed encrypts nothing', async () => {
  const store = storeIn(tempFolder('credentials'), 'short')
  assert.match(await refusal(store.set('groq', pasted())), /shorter than 16 characters/)
  assert.equal(readdirSync(store.folder), [])
})

test('a key file that is lost, changed or open to others is told by its name', async () => {
  const store = storeIn(tempFolder('credentials'))
  await store.set('groq', pasted())
  const file = join(store.folder, 'master.key')
  const fresh = (): CredentialStore => storeIn(join(store.folder, '..'))
  const content = readFileSync(file)
  chmodSync(file, 0o644)
  assert.match(await refusal(fresh().get('groq')), `chmod 600 ${file}`)
  chmodSync(file, 0o600)
  writeFileSync(file, Buffer.alloc(32, 7).toString('base64'))
  assert.match(await refusal(fresh().get('groq')), /another master key/)
  rmSync(file)
  assert.match(await refusal(fresh().get('groq')), /master\.key.*is missing/)
  writeFileSync(file, content, { mode: 0o600 })
  assert.equal(await fresh().get('groq'), pasted())
  writeFileSync(join(store.folder, 'master.json'), '{')
  assert.match(await refusal(fresh().get('groq')), /master\.json is damaged/)
})

test('a name that is no file name is never one', async () => {
  const store = storeIn(tempFolder('credentials'))
  assert.is(await store.get('../../etc/passwd'), undefined)
  assert.match(await refusal(store.set('../escape', pasted())), /no name of a provider/)
})

/** A keyring tool that keeps secrets in a folder, and `locked` one that waits for its user. */
function keyringTool(body: string): string {
  const folder = tempFolder('keyring')
  const tool = join(folder, process.platform === 'darwin' ? 'security' : 'secret-tool')
  writeFileSync(tool, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return folder
}

/** Runs with a tool in front of all others. */
async function withTool<T>(folder: string, run: () => Promise<T>): Promise<T> {
  const { PATH = '' } = process.env
  process.env.PATH = `${folder}:${PATH}`
  try {
    return await run()
  } finally {
    process.env.PATH = PATH
  }
}

if (process.platform === 'linux') {
  test('a keyring that answers has the master key, and is remembered', async () => {
    const dataDir = tempFolder('credentials')
    const tool = keyringTool('cd "$(dirname "$0")"; case $1 in store) cat > "kept-$7";; lookup) cat "kept-$5";; esac')
    const store = (): CredentialStore => new CredentialStore({ dataDir })
    await withTool(tool, () => store().set('groq', pasted()))
    assert.is(existsSync(join(dataDir, 'credentials/master.key')), false)
    assert.equal(await withTool(tool, () => store().get('groq')), pasted())
    assert.is(await withTool(tool, () => store().masterKeyPlace()), 'the keyring')
    const gone = keyringTool('exit 1')
    assert.match(await withTool(gone, () => refusal(store().get('groq'))), /the keyring.*does not give it; unlock it/)
    assert.match(await withTool(gone, () => refusal(store().set('openai', pasted()))), /does not give it/)
  })

  test('without a keyring, with one that fails and with one that says nothing, the key is in a file', async () => {
    for (const body of ['exit 1', 'cat > /dev/null; echo something else', 'exec sleep 60']) {
      const dataDir = tempFolder('credentials')
      await withTool(keyringTool(body), () => new CredentialStore({ dataDir }).set('groq', pasted()))
      assert.is(existsSync(join(dataDir, 'credentials/master.key')), true, body)
      assert.equal(await new CredentialStore({ dataDir }).get('groq'), pasted())
    }
  })
}

const WRITER = fileURLToPath(new URL('../../support/credential-writer.ts', import.meta.url))

/** Another process that stores `count` credentials, and counts up what is under `shared`. */
function writer(dataDir: string, prefix: string, count: number): Promise<number | null> {
  const args = [...SOURCES, WRITER, dataDir, prefix, String(count)]
  const child = spawn(process.execPath, args, { stdio: 'inherit' })
  return once(child, 'exit').then(([code]) => code)
}

test('two processes that begin together choose one master key and lose no change', async () => {
  const dataDir = tempFolder('credentials')
  assert.equal(await Promise.all([writer(dataDir, 'a', 15), writer(dataDir, 'b', 15)]), [0, 0])
  const store = storeIn(dataDir)
  assert.is((await store.names()).length, 31)
  for (const name of await store.names()) assert.ok(await store.get(name), name)
  const shared = await store.get('shared')
  assert.is(shared?.kind === 'key' ? shared.key : '', '30')
  assert.equal(
    readdirSync(store.folder).filter(name => /lock|tmp/.test(name)),
    [],
  )
})

test('the lock of a process that is gone is taken over', async () => {
  const dataDir = tempFolder('credentials')
  const store = storeIn(dataDir)
  mkdirSync(store.folder, { mode: 0o700 })
  const dead = spawn(process.execPath, ['-e', ''])
  await once(dead, 'exit')
  writeFileSync(join(store.folder, 'groq.lock'), JSON.stringify({ pid: dead.pid, host: hostname(), id: 'x' }))
  await store.set('groq', pasted())
  assert.equal(await store.get('groq'), pasted())
  assert.is(existsSync(join(store.folder, 'groq.lock')), false)
})

test.run()
