import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startUpstream } from '../../support/upstream.ts'
import { inShell, type Shell } from './command.ts'

const KEY = 'sk-check-0123456789-abcd'

interface Row {
  readonly check: string
  readonly name: string
  readonly result: string
  readonly detail: string
}

async function rows(shell: Shell, env: Readonly<Record<string, string>>) {
  const { code, stdout, stderr } = await shell.run(['check', '--json'], env)
  assert.not.match(stdout + stderr, KEY)
  const all: Row[] = JSON.parse(stdout)
  return { code, all, of: (name: string) => all.find(row => row.name === name) }
}

test(
  'looks at settings, pipeline, providers and stores, and says that all is well',
  inShell(async shell => {
    const upstream = await startUpstream()
    const env = { SERVICE__EXTERNAL_LLM_URL: upstream.url, SERVICE__EXTERNAL_LLM_API_KEY: KEY }
    const { code, stdout } = await shell.run(['check'], env)
    assert.is(code, 0, stdout)
    assert.match(stdout, /^settings .* ok /m)
    assert.match(stdout, /^pipeline .* ok/m)
    assert.match(stdout, /^provider +openai +ok +http:.*the key is accepted \(status 200/m)
    assert.match(stdout, /^store +answers +ok +memory$/m)
    assert.match(stdout, /^store +states +ok +memory$/m)
    assert.equal(
      upstream.calls.map(({ method, path }) => `${method} ${path}`),
      ['GET /v1/models'],
    )
  }),
)

test(
  'of a provider without a key no key is said to be accepted',
  inShell(async shell => {
    const upstream = await startUpstream()
    const env = { SERVICE__LLM_PROVIDER: 'ollama', SERVICE__EXTERNAL_LLM_URL: upstream.url }
    const { of } = await rows(shell, env)
    const { result, detail = '' } = of('ollama') ?? {}
    assert.is(result, 'ok')
    assert.match(detail, /^http:.*: it answers \(status 200, \d+ ms\); no key is set$/)
  }),
)

test(
  'a file that a layer was given is read: a classifier goes on without it, a small model does not start',
  inShell(async shell => {
    const upstream = await startUpstream()
    const env = {
      SERVICE__EXTERNAL_LLM_URL: upstream.url,
      SERVICE__EXTERNAL_LLM_API_KEY: KEY,
      SERVICE__CLASSIFIER_ROUTING__ENABLED: 'true',
    }
    const layerOf = async (more: Readonly<Record<string, string>>) => {
      const { code, of } = await rows(shell, { ...env, ...more })
      const { check, result, detail = '' } = of('classifier') ?? {}
      return { code, check, result, detail }
    }
    assert.equal(await layerOf({}), { code: 0, check: 'layer', result: 'ok', detail: '' })
    const missing = await layerOf({ SERVICE__CLASSIFIER_ROUTING__ARTIFACTS_PATH: 'nope.json' })
    assert.equal([missing.code, missing.result], [0, 'warning'])
    assert.match(missing.detail, /nope\.json is of no use: /)
    const small = { SERVICE__ENABLE_SLM_ROUTER: 'true', SERVICE__SLM_ROUTER__CLASSIFIER: 'heads' }
    const { code, stdout } = await shell.run(['check'], {
      ...env,
      ...small,
      SERVICE__SLM_ROUTER__HEADS_PATH: 'nope.json',
    })
    assert.is(code, 1)
    assert.match(stdout, /failed .*the classifier of the small model, .*nope\.json, cannot be used/)
  }),
)

test(
  'a local model that answers is told from one that is away, which is a warning, as requests go on without it',
  inShell(async shell => {
    const [upstream, small, away] = await Promise.all([startUpstream(), startUpstream(), startUpstream()])
    await away.close()
    const { code, of } = await rows(shell, {
      SERVICE__EXTERNAL_LLM_URL: upstream.url,
      SERVICE__EXTERNAL_LLM_API_KEY: KEY,
      SERVICE__ENABLE_SLM_ROUTER: 'true',
      SERVICE__SLM_ROUTER__API_KEY: KEY,
      SERVICE__LAYER2__SIDECAR_URL: small.url,
      SERVICE__LOCAL_SLM_URL: away.url,
    })
    assert.is(code, 0)
    assert.equal(of('small-model'), {
      check: 'model',
      name: 'small-model',
      result: 'ok',
      detail: `${small.url}/chat/completions: it answers`,
    })
    assert.is(of('intent-model')?.result, 'warning')
    assert.match(of('intent-model')?.detail ?? '', away.url)
  }),
)

test(
  'one provider that refuses its key fails the check, and the others are told all the same',
  inShell(async shell => {
    const [primary, backup, away] = await Promise.all([startUpstream(), startUpstream(), startUpstream()])
    await away.close()
    backup.script({ status: 401 })
    const { code, of } = await rows(shell, {
      SERVICE__EXTERNAL_LLM_URL: primary.url,
      SERVICE__EXTERNAL_LLM_API_KEY: KEY,
      SERVICE__FALLBACK_PROVIDERS: JSON.stringify([
        { provider: 'groq', url: backup.url, api_key: KEY },
        { provider: 'mistral', url: away.url, api_key: KEY },
        { provider: 'anthropic' },
      ]),
    })
    assert.is(code, 1)
    assert.is(of('openai')?.result, 'ok')
    assert.is(of('groq')?.result, 'failed')
    assert.match(of('groq')?.detail ?? '', '401')
    assert.is(of('mistral')?.result, 'failed')
    assert.match(of('mistral')?.detail ?? '', 'connection failed')
    assert.is(of('anthropic')?.result, 'failed')
    assert.match(of('anthropic')?.detail ?? '', 'api_key')
  }),
)

test(
  'every key of a pool is looked at, and the one that is refused is named',
  inShell(async shell => {
    const upstream = await startUpstream()
    const pool = ['one', 'two'].map(label => ({ key: `${KEY}-${label}`, label }))
    const env = { SERVICE__EXTERNAL_LLM_URL: upstream.url, SERVICE__PROVIDER_KEYS: JSON.stringify(pool) }
    upstream.script(({ headers }) => ({ status: headers.authorization?.endsWith('two') ? 401 : 200, json: {} }))
    const { code, of } = await rows(shell, env)
    assert.equal([code, of('openai')?.result], [1, 'failed'])
    assert.match(of('openai')?.detail ?? '', /1 of 2 keys failed: key 2 \("two", sk-…two\): /)
    upstream.clear()
    assert.match((await rows(shell, env)).of('openai')?.detail ?? '', 'all 2 keys are accepted')
  }),
)

test(
  'a key that is stored on this machine is a key',
  inShell(async shell => {
    const upstream = await startUpstream()
    const env = { SERVICE__EXTERNAL_LLM_URL: upstream.url, SERVICE__CREDENTIAL_KEYRING: 'false' }
    assert.is((await rows(shell, env)).of('openai')?.result, 'failed')
    assert.is(upstream.calls.length, 0)
    const file = shell.write('key.txt', KEY)
    const stored = await shell.run(['set-key', '--provider', 'openai', '--key-file', file], env)
    assert.is(stored.code, 0, stored.stderr)
    const { code, of } = await rows(shell, env)
    assert.is(of('openai')?.result, 'ok', of('openai')?.detail)
    assert.is(code, 0)
    assert.is(upstream.calls[0]?.headers.authorization, `Bearer ${KEY}`)
  }),
)

test(
  'a store that is away fails the check',
  inShell(async shell => {
    const [upstream, away] = await Promise.all([startUpstream(), startUpstream()])
    await away.close()
    const { code, of } = await rows(shell, {
      SERVICE__EXTERNAL_LLM_URL: upstream.url,
      SERVICE__EXTERNAL_LLM_API_KEY: KEY,
      SERVICE__CACHE_BACKEND: 'redis',
      SERVICE__REDIS_URL: `redis://:hidden-word@127.0.0.1:${away.port}`,
    })
    assert.is(code, 1)
    assert.is(of('answers')?.result, 'failed')
    assert.not.match(of('answers')?.detail ?? '', 'hidden-word')
  }),
)

test(
  'a data directory that cannot be made fails the check, as it fails the start',
  inShell(async shell => {
    shell.write('a-file', 'and no folder')
    const { code, all } = await rows(shell, { SERVICE_DATA_DIR: 'a-file/data' })
    assert.is(code, 1)
    assert.match(all[0]?.detail ?? '', /^SERVICE_DATA_DIR: the data directory .*a-file\/data cannot be created/)
  }),
)

test(
  'offline nothing is sent',
  inShell(async shell => {
    const upstream = await startUpstream()
    const { code, of } = await rows(shell, {
      SERVICE__EXTERNAL_LLM_URL: upstream.url,
      SERVICE__EXTERNAL_LLM_API_KEY: KEY,
      SERVICE__OFFLINE_MODE: 'true',
    })
    assert.is(code, 0)
    assert.is(of('openai')?.result, 'skipped')
    assert.is(upstream.calls.length, 0)
  }),
)

test(
  'bad settings and a pipeline that does not fit together are told with their place',
  inShell(async shell => {
    const settings = await rows(shell, { SERVICE__CACHE_MODE: 'x' })
    assert.is(settings.code, 1)
    assert.equal(
      settings.all.map(({ check, result }) => [check, result]),
      [['settings', 'failed']],
    )
    shell.write('mine.yaml', 'surfaces:\n  http: {}\n  native: { flow: chat }\nflows:\n  chat: [nothing]\n')
    const { code, stdout } = await shell.run(['check', '--pipeline', 'mine.yaml'])
    assert.is(code, 1)
    assert.match(stdout, /^pipeline +mine\.yaml +failed +.*mine\.yaml:5:\d+ error/m)
  }),
)

test.run()
