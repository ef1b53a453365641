import { chmodSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SettingsError } from '../../config/load.ts'
import { setInToml } from '../../config/settings-file.ts'
import { editToml } from '../../config/toml-edit.ts'
import { inPlace } from './place.ts'

const edited = (source: string, name: string, value: string): string =>
  editToml(source, 'service.toml', [{ path: ['model_aliases', name], value }])

const FILE = `# mine
llm_provider = "openai" # primary

[model_aliases]  # names
fast = "gpt-x" # quick
"claude-haiku-4-5" = "gpt-y"

# for all
[quota.openai]
daily_token_limit = 5
since = 2026-01-01
`

test('a new name goes behind the last one of its table, and nothing else moves', () => {
  assert.is(edited(FILE, 'slow', 'big'), FILE.replace('= "gpt-y"\n', '= "gpt-y"\nslow = "big"\n'))
  assert.is(edited(FILE, 'gpt.5/x', 'a "b"'), FILE.replace('= "gpt-y"\n', '= "gpt-y"\n"gpt.5/x" = "a \\"b\\""\n'))
})

test('a known name gets another value, and keeps its comment', () => {
  assert.is(edited(FILE, 'fast', 'gpt-z'), FILE.replace('"gpt-x" # quick', '"gpt-z" # quick'))
  assert.is(edited(FILE, 'fast', 'gpt-x'), FILE)
})

test('a table in any other form is kept in that form, and a missing one is added', () => {
  assert.is(
    edited('model_aliases = { a = "b" } # in\n', 'c', 'd').trimEnd(),
    'model_aliases = { a = "b", c = "d" } # in',
  )
  assert.match(
    edited('model_aliases.a = "b" # d\nx = 1\n', 'c', 'd'),
    /^model_aliases\.a = "b" # d\nx = 1\nmodel_aliases\.c = "d"/,
  )
  assert.is(edited('', 'c', 'd'), '[model_aliases]\nc = "d"\n')
  assert.match(
    edited('# only\n[[fallback_providers]]\nprovider = "groq"\n', 'c', 'd'),
    /^# only\n[\s\S]*\[model_aliases\]\nc = "d"\n/,
  )
  assert.is(edited('[model_aliases]', 'c', 'd'), '[model_aliases]\nc = "d"\n')
  assert.is(
    edited('[model_aliases]\r\na = "b"\r\n# x\r\n', 'c', 'd'),
    '[model_aliases]\r\na = "b"\r\nc = "d"\r\n# x\r\n',
  )
  assert.is(
    edited('[model_aliases]\na = """\nb"""\n\nx.y = "z"\n', 'c', 'd'),
    '[model_aliases]\na = """\nb"""\n\nx.y = "z"\nc = "d"\n',
  )
})

test('a table whose only key is replaced by another keeps its place and its comments', () => {
  const file = '# ours\na = 1\n\n# names\n[model_aliases] # of models\nfast = "x"\n\n# limits\n[quota.openai]\nb = 2\n'
  const changes = [
    { path: ['model_aliases', 'fast'], value: undefined },
    { path: ['model_aliases', 'slow'], value: 'y' },
  ] as const
  assert.is(editToml(file, 'service.toml', changes), file.replace('fast = "x"', 'slow = "y"'))
})

test('what is taken out leaves the comments around it, and one blank line for two', () => {
  const file =
    '# ours\na = 1\n\n# names\n[model_aliases] # of models\n# cheap\nfast = "x" # quick\n\n# limits\n[quota.openai]\nb = 2\n'
  assert.is(
    editToml(file, 'service.toml', [{ path: ['model_aliases', 'fast'], value: undefined }]),
    '# ours\na = 1\n\n# names\n# cheap\n\n# limits\n[quota.openai]\nb = 2\n',
  )
  assert.is(
    editToml(file, 'service.toml', [{ path: ['quota', 'openai', 'b'], value: undefined }]),
    file.replace('[quota.openai]\nb = 2\n', ''),
  )
  assert.is(editToml(file, 'service.toml', [{ path: ['a'], value: undefined }]), file.replace('a = 1\n', ''))
  assert.is(
    editToml('a = 1\n\n[b]\nc = """\n1"""\n\n[d]\ne = 1\n', 'f', [{ path: ['b'], value: undefined }]),
    'a = 1\n\n[d]\ne = 1\n',
  )
})

test('what is no table is refused by its name', () => {
  assert.throws(
    () => edited('model_aliases = "x"\n', 'c', 'd'),
    (error: unknown) => error instanceof SettingsError && /model_aliases is no table/.test(error.message),
  )
})

test(
  'a file is replaced at once with the mode it had, through a link, and a new one is private',
  inPlace(place => {
    const file = place.write('real.toml', FILE)
    chmodSync(file, 0o640)
    const link = join(place.root, 'link.toml')
    symlinkSync(file, link)
    const entry = { path: ['model_aliases', 'slow'], value: 'big' } as const
    assert.is(setInToml(link, link, entry), true)
    assert.is(setInToml(link, link, entry), false)
    assert.is(lstatSync(link).isSymbolicLink(), true)
    assert.match(readFileSync(file, 'utf8'), 'slow = "big"')
    assert.is(statSync(file).mode & 0o777, 0o640)
    const fresh = join(place.root, 'new.toml')
    setInToml(fresh, fresh, entry)
    assert.is(statSync(fresh).mode & 0o777, 0o600)
    assert.equal(
      readdirSync(place.root).filter(name => name.endsWith('.tmp')),
      [],
    )
    const broken = place.write('broken.toml', 'x = "sk-secret\n')
    assert.throws(
      () => setInToml(broken, 'broken.toml', entry),
      (error: unknown) => error instanceof SettingsError && !error.message.includes('sk-secret'),
    )
    assert.is(readFileSync(broken, 'utf8'), 'x = "sk-secret\n')
  }),
)

/** Records with tables of their own, and comments wherever one may stand. */
const POOLS = `llm_provider = "openai"
# the European one
[[fallback_providers]]
provider = "groq" # contract 4711
model = "a" # cheap

# Anna pays
[[fallback_providers.provider_keys]] # Anna's
key = "a" # until May
[[fallback_providers.provider_keys]] # Ben's
key = "b"
# paid by team b
[[fallback_providers]]
provider = "xai"
api_key = "x" # ends in June
`
const groq = { provider: 'groq', model: 'a', provider_keys: [{ key: 'a' }, { key: 'b' }] }
const xai = { provider: 'xai', api_key: 'x' }
const withFallbacks = (value: readonly object[]): string =>
  editToml(POOLS, 'service.toml', [{ path: ['fallback_providers'], value }])

test('a record that goes leaves tables of another record, and their comments, as they are', () => {
  assert.is(
    withFallbacks([groq]),
    POOLS.replace('[[fallback_providers]]\nprovider = "xai"\napi_key = "x" # ends in June\n', ''),
  )
})

test('a field beside tables of a record changes alone, and so does one inside', () => {
  assert.is(withFallbacks([{ ...groq, model: 'b' }, xai]), POOLS.replace('model = "a" # cheap', 'model = "b" # cheap'))
  const edited = withFallbacks([{ ...groq, provider_keys: [{ key: 'a' }, { key: 'c' }] }, xai])
  assert.is(edited, POOLS.replace('key = "b"', 'key = "c"'))
})

test('a table of a record that goes takes only its own lines', () => {
  const edited = withFallbacks([{ ...groq, provider_keys: [{ key: 'b' }] }, xai])
  for (const comment of ['# the European one', '# contract 4711', '# cheap', '# paid by team b', '# ends in June'])
    assert.ok(edited.includes(comment), `${comment} is gone:\n${edited}`)
})

test('records with tables change places with all that is theirs', () => {
  const edited = withFallbacks([xai, groq])
  assert.match(
    edited,
    /# paid by team b\n\[\[fallback_providers\]\]\nprovider = "xai"[\s\S]*# the European one\n\[\[fallback/,
  )
  assert.match(edited, /\[\[fallback_providers\.provider_keys\]\] # Ben's\nkey = "b"/)
})

test.run()
