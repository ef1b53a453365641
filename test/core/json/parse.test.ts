import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isGatewayError } from '../../../core/errors.ts'
import { isHuge, parseJson, parseLargeJson } from '../../../core/json/parse.ts'
import { countTurns } from '../../support/loop-turns.ts'

const bytesOf = (text: string): Buffer => Buffer.from(text)

async function refusalOf(
  parse: (bytes: Uint8Array) => unknown,
  text: string,
): Promise<{ message: string; param?: string }> {
  try {
    await parse(bytesOf(text))
  } catch (error) {
    if (!isGatewayError(error)) throw error
    assert.is(error.code, 'bad_request')
    return { message: error.message, ...(error.param !== undefined && { param: error.param }) }
  }
  throw new Error('it was taken')
}

test('reads what JSON.parse reads, in one go and in pieces', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json(), fc.constantFrom(0, 70_000, 200_000), async (json, size) => {
      const large = `{"a":[${json}, ${json}],"__proto__" : {"x":${JSON.stringify('"\\é'.repeat(size / 4))}} , "list":[${`${json},`.repeat(size / 100)}1]}`
      for (const text of [json, large]) {
        assert.equal(parseJson(bytesOf(text)), JSON.parse(text))
        assert.equal(await parseLargeJson(bytesOf(text)), JSON.parse(text))
      }
    }),
    { numRuns: 40 },
  )
})

test('reads a long string in pieces, cut neither inside a character nor inside an escape', async () => {
  for (const unit of ['a', 'é', '中文', '👩‍👩‍👧', '\\', '"', '\n', 'ab\\"\u0001', '\ud800', '\udc00x']) {
    for (let shift = 0; shift < 7; shift++) {
      const value = '-'.repeat(shift) + unit.repeat(150_000 / Math.max(1, Buffer.byteLength(unit)))
      for (const json of [JSON.stringify(value), escaped(value)]) {
        assert.ok((await parseLargeJson(bytesOf(json))) === value, `${JSON.stringify(unit)} after ${shift}`)
        assert.equal(await parseLargeJson(bytesOf(`{"a":[{"b":${json}}],"c":${json}}`)), {
          a: [{ b: value }],
          c: value,
        })
      }
    }
  }
})

test('reads a long string whose first wide character comes late, or first', async () => {
  const narrow = 'café\u00ff\n'.repeat(15_000)
  for (const value of [
    narrow,
    `${narrow}中`,
    `${narrow}中${narrow}`,
    `中${narrow}`,
    `${narrow}\ud83d`,
    `${narrow}€${narrow}`,
  ])
    for (const json of [JSON.stringify(value), escaped(value)])
      assert.ok((await parseLargeJson(bytesOf(json))) === value)
})

/** The string with each character as an escape. */
const escaped = (value: string): string =>
  `"${Array.from({ length: value.length }, (_, at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`

test('gives the event loop back while it reads a long string, wherever the string stands', async () => {
  for (const text of ['say \\"cache\\", ', '高速缓存', 'QUJD']) {
    const string = `"${text.repeat(4_000_000 / Buffer.byteLength(text))}"`
    for (const json of [string, `{"choices":[{"message":{"content":${string}}}]}`]) {
      const loop = countTurns()
      await parseLargeJson(bytesOf(json))
      loop.stop()
      assert.ok(loop.turns >= 2, `${loop.turns} turns`)
    }
  }
})

test('takes the last of two members with one name where it is told to, and refuses them else', async () => {
  const large = `{"a":1,"list":[${'"some text",'.repeat(20_000)}1],"a":2,"b":{"c":1,"c":3}}`
  const { a, b } = (await parseLargeJson(bytesOf(large), { repeats: 'last' })) as Record<string, unknown>
  assert.equal({ a, b }, { a: 2, b: { c: 3 } })
  await refusalOf(parseLargeJson, large)
})

test('reads large lists of objects, large objects and what is large in them', async () => {
  const row = (at: number): object => ({
    at,
    text: 'w"\\{[,:'.repeat(at % 9),
    more: [{ deep: [at, null, true, 1.5e3] }],
  })
  const rows = Array.from({ length: 5000 }, (_, at) => row(at))
  const body = {
    rows,
    named: Object.fromEntries(rows.map((value, at) => [`k${at}`, value])),
    a: { b: [[rows]] },
    end: 1,
  }
  for (const indent of [0, 1]) {
    const text = ` ${JSON.stringify(body, null, indent)}\n`
    assert.equal(await parseLargeJson(bytesOf(text)), body)
  }
})

test('refuses in pieces what JSON.parse refuses', async () => {
  const items = `${JSON.stringify('x'.repeat(50_000))},`.repeat(3)
  for (const text of [
    '',
    '[1',
    `[${items}]`,
    `[${items}1}`,
    `[${items}1]]`,
    `[${items},1]`,
    `[${items}1 2]`,
    `[${items}nul]`,
    `{"a":[${items}1],}`,
    `{"a":[${items}1]"b":1}`,
    `{a:[${items}1]}`,
    `{"a" [${items}1]}`,
    `{"a":[${items}[1}]}`,
    `{"a\n":[${items}1]}`,
    `{"a":[${items}"\n"]}`,
    `{"a":"${'x'.repeat(90_000)}`,
  ]) {
    assert.throws(() => JSON.parse(text), undefined, text.slice(-20))
    assert.match((await refusalOf(parseLargeJson, text)).message, 'not JSON')
    assert.match((await refusalOf(parseJson, text)).message, 'not JSON')
  }
})

test('a member that stands twice is refused by its name', async () => {
  const long = JSON.stringify('x'.repeat(90_000))
  const small = [
    '{"messages":[1],"messages":[2]}',
    '{"messages":[1],"mess\\u0061ges":1}',
    '{"a":{"b":"\\":,{"}, "messages":1 ,"messages" : []}',
  ]
  const large = [
    `{"messages":${long},"messages":[2]}`,
    `{"messages":1,"b":${long},"messages":1}`,
    `{"messages":[${long},${long}],"messages":[${long},1]}`,
  ]
  const parsers: [(bytes: Uint8Array) => unknown, string[]][] = [
    [parseJson, [...small, ...large]],
    [parseLargeJson, [...small, ...large]],
  ]
  for (const [parse, texts] of parsers) {
    for (const text of texts) {
      const { message, param } = await refusalOf(parse, text)
      assert.is(message, 'messages stands twice in the body')
      assert.is(param, 'messages')
    }
  }
})

test('a member that stands twice further down is refused without its name', async () => {
  const long = JSON.stringify('x'.repeat(90_000))
  for (const text of ['{"messages":[{"role":"a","role":"b"}]}', `{"a":[${long},{"x":{"y":1,"y":1}}]}`]) {
    for (const parse of [parseJson, parseLargeJson]) {
      assert.equal(await refusalOf(parse, text), { message: 'a member stands twice in an object of the body' })
    }
  }
})

test('a number of more digits than anybody means is refused, where reading it would take long', async () => {
  for (const number of [`1${'0'.repeat(1_000_000)}1`, `1e${'9'.repeat(1_000_000)}`]) {
    assert.match((await refusalOf(parseLargeJson, `{"a":[1],"seed":${number}}`)).message, 'too long')
  }
})

test('refuses what is nested too deep before a parser climbs down', async () => {
  const nested = (levels: number, filler = ''): string =>
    `{"f":"${filler}","x":${'['.repeat(levels)}${']'.repeat(levels)}}`
  for (const filler of ['', 'f'.repeat(200_000)]) {
    for (const parse of [parseJson, parseLargeJson]) {
      const { message } = await refusalOf(parse, nested(1500, filler))
      assert.match(message, 'nested more than 1000 levels deep')
      assert.ok(await parse(bytesOf(nested(900, filler))))
    }
  }
  assert.match((await refusalOf(parseLargeJson, `{"x":${'['.repeat(500_000)}`)).message, 'nested')
})

test('an object of very many members is known as such, and only that one', async () => {
  const members = Array.from({ length: 6000 }, (_, at) => `"key number ${at}":${at}`).join(',')
  const parsed = await parseLargeJson(bytesOf(`{"x":{${members}},"y":{"a":1},"filler":"${'f'.repeat(100_000)}"}`))
  const { x, y } = parsed as { x: object; y: object }
  assert.is(Object.keys(x).length, 6000)
  assert.ok(isHuge(x))
  assert.not(isHuge(y))
})

test.run()
