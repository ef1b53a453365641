import { parse } from '@decimalturn/toml-patch'
import { isObject } from 'deflector'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { editToml, type TomlChange } from '../../config/toml-edit.ts'

const FILE = `# my gateway
llm_provider = "openai" # primary

cache_ttl_secs = 300   # five minutes
# about the server
[server]
host = "0.0.0.0"
port = 8080 # the port

[model_aliases]
fast = "gpt-4o-mini" # cheap
"gpt-4.1" = "x"

[[fallback_providers]]
# first
provider = "groq"
api_key = "k1" # key

[[fallback_providers]]
# second
provider = "anthropic"
`

const set = (path: TomlChange['path'], value: unknown): string => editToml(FILE, 'f', [{ path, value }])

/** What a line-wise comparison sees: lines that went, and lines that came. */
function changedLines(before: string, after: string): { readonly gone: string[]; readonly come: string[] } {
  const [old, now] = [before.split('\n'), after.split('\n')]
  const left = [...now]
  const gone = old.filter(line => {
    const at = left.indexOf(line)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
  return { gone, come: left }
}

test('a value is replaced in its line, and its comment stays', () => {
  assert.equal(changedLines(FILE, set(['server', 'port'], 9000)), {
    gone: ['port = 8080 # the port'],
    come: ['port = 9000 # the port'],
  })
})

test('a new key stands after the last one of its table, and above the comment of the next', () => {
  const edited = set(['offline_mode'], true)
  assert.match(edited, 'cache_ttl_secs = 300   # five minutes\noffline_mode = true\n# about the server\n[server]')
  assert.match(set(['server', 'x'], 1), 'port = 8080 # the port\nx = 1\n')
})

test('a new key goes to the top of a file that begins with a table, and into an empty one', () => {
  assert.is(
    editToml('# all\n[server]\nport = 1\n', 'f', [{ path: ['a'], value: 'b' }]),
    'a = "b"\n\n# all\n[server]\nport = 1\n',
  )
  assert.is(editToml('', 'f', [{ path: ['a'], value: 'b' }]), 'a = "b"\n')
  assert.is(editToml('x = 1', 'f', [{ path: ['a'], value: 'b' }]), 'x = 1\na = "b"\n')
  assert.is(editToml('x = 1\r\n', 'f', [{ path: ['a'], value: 2 }]), 'x = 1\r\na = 2\r\n')
})

test('a key that is taken out goes with its own comment, and an emptied table with its last key', () => {
  assert.equal(changedLines(FILE, set(['model_aliases', 'fast'], undefined)), {
    gone: ['fast = "gpt-4o-mini" # cheap'],
    come: [],
  })
  const emptied = editToml('[a.b]\nc = 1\n[d]\ne = 2\n', 'f', [{ path: ['a', 'b', 'c'], value: undefined }])
  assert.equal(plain(parse(emptied)), { d: { e: 2 } })
  assert.is(set(['nothing'], undefined), FILE)
})

test('records keep their comments when they move, and when another one goes', () => {
  const { fallback_providers: list } = parse(FILE)
  const moved = editToml(FILE, 'f', [{ path: ['fallback_providers'], value: [list[1], list[0]] }])
  assert.match(moved, '# second\nprovider = "anthropic"\n\n[[fallback_providers]]\n# first\nprovider = "groq"')
  const removed = editToml(FILE, 'f', [{ path: ['fallback_providers'], value: [list[1]] }])
  assert.not.match(removed, '# first')
  assert.match(removed, '# second\nprovider = "anthropic"')
})

const RECORDS = `# asked in order
[[list]]
name = "a" # the first

# the last resort
[[list]]
name = "b"
# slow
secs = 9

# about the next table
[next]
k = 1
`
const RECORD_COMMENTS = ['# asked in order', '# the last resort', '# about the next table\n[next]']

test('whatever becomes of records, comments outside of them stay, and that of the next table stays above it', () => {
  const old = [{ name: 'a' }, { name: 'b', secs: 9 }]
  const fields = { name: fc.string(), secs: fc.integer(), keys: fc.constant([{ key: 'k' }]) }
  const changed = fc
    .tuple(fc.constantFrom(...old), fc.record(fields, { requiredKeys: [] }))
    .map(([record, more]) => ({ ...record, ...more }))
  const records = fc.array(fc.oneof(fc.constantFrom(...old), changed), { maxLength: 4 })
  fc.assert(
    fc.property(records, fc.boolean(), (list, isWindows) => {
      const text = isWindows ? RECORDS.replaceAll('\n', '\r\n') : RECORDS
      const edited = editToml(text, 'f', [{ path: ['list'], value: list.length > 0 ? list : undefined }])
      assert.equal(plain(parse(edited)), { ...(list.length > 0 && { list: plain(list) }), next: { k: 1 } })
      const unix = edited.replaceAll('\r\n', '\n')
      for (const comment of RECORD_COMMENTS) assert.ok(unix.includes(comment), edited)
      assert.is(
        edited.split('\n').filter(line => line.endsWith('\r')).length,
        isWindows ? unix.split('\n').length - 1 : 0,
      )
    }),
    { numRuns: 300 },
  )
})

test('a field that is added stands with the others of its record, and a new record behind the last one', () => {
  const added = { name: 'c', keys: [{ key: 'k' }] }
  const value = [{ name: 'a', secs: 1 }, { name: 'b', secs: 9, keys: [{ key: 'k' }] }, added]
  assert.is(
    editToml(RECORDS, 'f', [{ path: ['list'], value }]),
    RECORDS.replace('# the first\n', '# the first\nsecs = 1\n').replace(
      'secs = 9\n',
      'secs = 9\nkeys = [ { key = "k" } ]\n\n[[list]]\nname = "c"\nkeys = [ { key = "k" } ]\n',
    ),
  )
})

/** As JSON has it, without the prototypes of the parser. */
const plain = (content: unknown) => JSON.parse(JSON.stringify(content))

const name = fc.constantFrom('server', 'quota', 'a', 'b-c', 'd.e', 'model_aliases', 'port', 'ü "x"')
const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.integer(),
  fc.boolean(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(value => (Object.is(value, -0) ? 0 : value)),
)
const record = fc.dictionary(name, scalar, { minKeys: 1, maxKeys: 3, noNullPrototype: true })
const value = fc.oneof(
  scalar,
  fc.array(fc.string()),
  fc.array(record, { minKeys: 1, maxLength: 3 } as object),
  fc.constant(undefined),
)
const change = fc.record({
  path: fc.oneof(fc.tuple(name), fc.tuple(name, name), fc.tuple(name, name, name)),
  value,
})

const expected = (content: Record<string, unknown>, { path, value }: TomlChange): Record<string, unknown> => {
  const [first, ...rest] = path
  const inside = content[first]
  const table = typeof inside === 'object' && inside !== null && !Array.isArray(inside) ? { ...inside } : undefined
  if (rest.length > 0 && value === undefined && !table) return content
  const next = rest.length === 0 ? value : expected(table ?? {}, { path: rest as unknown as [string], value })
  const { [first]: _, ...others } = content
  const isGone =
    next === undefined || (value === undefined && rest.length > 0 && Object.keys(next as object).length === 0)
  return isGone ? others : { ...content, [first]: next }
}

/** Is something else than a table there? */
const isOther = (content: Record<string, unknown>, path: readonly string[]): boolean => {
  const inside = path.reduce<unknown>((at, one) => (isObject(at) ? at[one] : undefined), content)
  return inside !== undefined && !isObject(inside)
}

test('the edited text says what was asked, whatever was asked before', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), changes => {
      let text = FILE
      for (const one of changes) {
        const before: Record<string, unknown> = plain(parse(text))
        const isThrough = one.path.some((_, at) => at > 0 && isOther(before, one.path.slice(0, at)))
        if (isThrough && one.value !== undefined) {
          assert.throws(() => editToml(text, 'f', [one]), /is no table/)
          continue
        }
        const after = editToml(text, 'f', [one])
        assert.equal(plain(parse(after)), expected(before, one))
        for (const comment of ['# my gateway\n', '# about the server\n']) assert.ok(after.includes(comment), after)
        text = after
      }
    }),
    { numRuns: 300 },
  )
})

test('a scalar at any place changes its own line only', () => {
  const places = [
    ['llm_provider'],
    ['cache_ttl_secs'],
    ['server', 'host'],
    ['server', 'port'],
    ['model_aliases', 'gpt-4.1'],
  ] as const
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.oneof(fc.integer(), fc.boolean(), fc.string()), (path, value) => {
      const { gone, come } = changedLines(FILE, set([...path] as unknown as [string], value))
      assert.ok(gone.length <= 1 && come.length === gone.length, JSON.stringify({ gone, come }))
    }),
  )
})

test.run()
