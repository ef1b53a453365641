import { joinInTurns, refiller, spliceJson, spliceLargeJson } from 'deflector'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

/** With the parsed object at hand it says the same. */
function splice(text: string, edits: Record<string, string | undefined>): string {
  const spliced = Buffer.from(spliceJson(Buffer.from(text), edits)).toString()
  assert.is(Buffer.from(spliceJson(Buffer.from(text), edits, JSON.parse(text))).toString(), spliced)
  return spliced
}

test('replaces a value and leaves every other byte', () => {
  const text = '{ "model" : "a",\n\t"n":12345678901234567890, "x":1.50e+3,"z":{"model":"inner"} } '
  assert.is(splice(text, { model: '"b"' }), text.replace('"a"', '"b"'))
})

test('appends what is absent, with a comma only where one is needed', () => {
  assert.is(splice('{}', { a: '1' }), '{"a":1}')
  assert.is(splice('{ }', { a: '1', b: '2' }), '{"a":1,"b":2 }')
  assert.is(splice('{"x":0 }', { a: '1' }), '{"x":0,"a":1 }')
  assert.is(splice('{"x":0}', { x: undefined, a: '1' }), '{"a":1}')
})

test('takes a member away with its comma', () => {
  assert.is(splice('{"a":1,"b":2,"c":3}', { a: undefined }), '{"b":2,"c":3}')
  assert.is(splice('{"a":1,"b":2,"c":3}', { b: undefined }), '{"a":1,"c":3}')
  assert.is(splice('{"a":1,"b":2,"c":3}', { c: undefined }), '{"a":1,"b":2}')
  assert.is(splice('{ "a":1 , "b":2 , "c":3 }', { a: undefined, b: undefined }), '{ "c":3 }')
  assert.is(splice('{"a":1,"b":2}', { a: undefined, b: undefined }), '{}')
})

test('changes every one of doubled keys, also those that are spelled with escapes', () => {
  assert.is(splice('{"model":1,"b":2,"\\u006dodel":3}', { model: '9' }), '{"model":9,"b":2,"\\u006dodel":9}')
  assert.is(splice('{"model":1,"b":2,"m\\u006Fdel":3}', { model: undefined }), '{"b":2}')
})

test('is not misled by braces, quotes and backslashes inside strings', () => {
  const text = String.raw`{"a":"}\"]\\","b":["{\"model\":1}",{"model":"\\\\"}],"model":"x"}`
  assert.equal(JSON.parse(splice(text, { model: '"y"' })), { ...JSON.parse(text), model: 'y' })
  const long = JSON.stringify({ a: `${'\\"'.repeat(300)}${'x'.repeat(200)}\\`, model: 'x', b: '\\'.repeat(301) })
  assert.equal(JSON.parse(splice(long, { model: '"y"' })), { ...JSON.parse(long), model: 'y' })
})

test('hands the same bytes back when there is nothing to do', () => {
  const bytes = Buffer.from('{"a":1}')
  assert.is(spliceJson(bytes, { b: undefined }), bytes)
})

test('splices a large text as any other, also with bytes', async () => {
  const text = JSON.stringify({ a: 'é'.repeat(700_000), model: 'x', list: [1, 2] })
  for (const edits of [{ model: '"y"', a: undefined }, { model: '"y"', added: '1', more: '2' }, { none: undefined }]) {
    const bytes = await spliceLargeJson(Buffer.from(text), edits)
    assert.is(Buffer.from(bytes).toString(), splice(text, edits))
    const given = Object.entries(edits).map(([name, json]) => [name, json && Buffer.from(json)])
    assert.equal(await spliceLargeJson(Buffer.from(text), Object.fromEntries(given)), bytes)
  }
})

test('joins parts of any size', async () => {
  const parts = [Buffer.alloc(0), Buffer.alloc(1_300_000, 'ab'), Buffer.from('c'), Buffer.alloc(600_000, 'd')]
  assert.ok((await joinInTurns(parts)).equals(Buffer.concat(parts)))
})

test('reads only its own part of a larger buffer', () => {
  const whole = Buffer.from('xx{"a":1}yy')
  assert.is(Buffer.from(spliceJson(whole.subarray(2, 9), { a: '2' })).toString(), '{"a":2}')
})

test('refuses what is not an object', () => {
  for (const text of [
    '',
    '[]',
    '1',
    '{',
    '{"a"',
    '{"a":',
    '{"a":1',
    '{"a":"x',
    '{"a":[1',
    '{"a":,}',
    '{"a":1 "b":2}',
  ]) {
    assert.throws(() => splice(text, { a: '1' }), /not a JSON object/, text)
  }
})

const KEYS = ['a', 'model', 'é', '__proto__', 'with "quotes"', '\\']
const key = fc.oneof(fc.constantFrom(...KEYS), fc.string({ unit: 'binary', maxLength: 4 }))
const space = fc.constantFrom('', ' ', '\n\t', '\r\n  ')
const escaped = (text: string): string =>
  `"${[...Array(text.length).keys()].map(at => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
const spelled = fc
  .tuple(key, fc.boolean())
  .map(([name, odd]) => ({ name, text: odd ? escaped(name) : JSON.stringify(name) }))
const value = fc
  .oneof(fc.jsonValue({ maxDepth: 3 }), fc.string({ unit: 'binary', maxLength: 200 }))
  .map(each => JSON.stringify(each))
const member = fc.tuple(spelled, value, fc.array(space, { minLength: 4, maxLength: 4 }))
const edits = fc.dictionary(key, fc.option(value, { nil: undefined }), { maxKeys: 4 })

const written = (members: readonly (readonly [{ name: string; text: string }, string, string[]])[]): string =>
  `{${members.map(([{ text }, json, [a, b, c, d]]) => `${a}${text}${b}:${c}${json}${d}`).join(',')}}`

test('means what editing the parsed members would mean', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 8 }), edits, (members, changes) => {
      const known = new Map(Object.entries(changes))
      const kept = members.flatMap(([{ name }, json]): [string, string][] => {
        if (!known.has(name)) return [[name, json]]
        const text = known.get(name)
        return text === undefined ? [] : [[name, text]]
      })
      const names = new Set(members.map(([{ name }]) => name))
      const added = [...known].flatMap(([name, text]): [string, string][] =>
        names.has(name) || text === undefined ? [] : [[name, text]],
      )
      const expected = `{${[...kept, ...added].map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`
      assert.equal(JSON.parse(splice(written(members), changes)), JSON.parse(expected))
    }),
    { numRuns: 500 },
  )
})

test('an edit of one member keeps the bytes of all others', () => {
  fc.assert(
    fc.property(fc.array(member, { maxLength: 4 }), fc.array(member, { maxLength: 4 }), (before, after) => {
      const others = (each: (typeof before)[number]) => each[0].name !== 'edited'
      const head = written(before.filter(others)).slice(1, -1)
      const tail = written(after.filter(others)).slice(1, -1)
      const text = (json: string) => `{${head}${head && ','}"edited":${json}${tail && ','}${tail}}`
      assert.is(splice(text('[1,{"a":"}"}]'), { edited: '"new"' }), text('"new"'))
    }),
  )
})

test('bytes that are sent again get their new values in the same places', () => {
  const refill = refiller('id', 'created')
  const bytes = Buffer.from('{ "id":"a", "x":{"id":"kept"}, "created": 12, "n": 9007199254740993, "id" : "b" }')
  for (const id of ['"one"', '"a longer one"']) {
    const out = Buffer.from(refill(bytes, key => (key === 'id' ? id : '7'))).toString()
    assert.is(out, `{ "id":${id}, "x":{"id":"kept"}, "created": 7, "n": 9007199254740993, "id" : ${id} }`)
  }
  assert.is(Buffer.from(refill(Buffer.from('{}'), () => '1')).toString(), '{}')
})

test.run()
