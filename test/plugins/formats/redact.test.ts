import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { REDACTED, redactHeaders, redactQuery, redactText, secretsIn } from '../../../plugins/formats/redact.ts'
import { isSecretName } from '../../../plugins/formats/secret-names.ts'

const SECRET = 'canary-7f3a9c'
const LIMITS = { longest: 200, most: 50 }

test('headers that may hold a secret lose their values, and no others', () => {
  const secret = ['authorization', 'Proxy-Authorization', 'cookie', 'set-cookie', 'x-api-key', 'api-key']
  const more = ['x-goog-api-key', 'x-amz-security-token', 'X-Auth-Token', 'X-Auth', 'x-csrf-token', 'x-my-secret']
  for (const name of [...secret, ...more]) assert.equal(redactHeaders({ [name]: SECRET }, LIMITS), { [name]: REDACTED })
  for (const name of ['content-type', 'user-agent', 'x-service-session-id', 'anthropic-version', 'host'])
    assert.equal(redactHeaders({ [name]: 'plain' }, LIMITS), { [name]: 'plain' })
  assert.equal(redactHeaders({ 'x-note': 'Bearer abcdefghijkl' }, LIMITS), { 'x-note': REDACTED })
})

test('counts of tokens are no secrets', () => {
  for (const name of ['max_tokens', 'prompt_tokens', 'total_tokens', 'tokens', 'monkey', 'keyboard'])
    assert.not.ok(isSecretName(name), name)
  assert.is(redactText('{"max_tokens":5,"token":7,"auth":null}'), '{"max_tokens":5,"token":7,"auth":null}')
})

test('members whose names say so lose their values, wherever they stand', () => {
  const inner = JSON.stringify({ api_key: SECRET, deeper: JSON.stringify({ password: `${SECRET}"\\x` }) })
  const body = {
    apiKey: SECRET,
    tools: [{ name: 'x', config: { 'client-secret': SECRET, credentials: { user: SECRET, list: ['a}"', SECRET] } } }],
    messages: [{ tool_calls: [{ function: { arguments: inner } }] }],
    refresh_token: [SECRET, { a: SECRET }],
    kept: 'plain',
  }
  for (const indent of [undefined, 2]) {
    const clean = redactText(JSON.stringify(body, null, indent))
    assert.not.match(clean, SECRET)
    assert.is(JSON.parse(clean).kept, 'plain')
    assert.is(JSON.parse(JSON.parse(clean).messages[0].tool_calls[0].function.arguments).api_key, REDACTED)
  }
})

test('a text that is cut anywhere shows nothing of a secret', () => {
  const key = 'sk-proj-abcdefghijklmnop'
  const text = `{"a":"${key}","password":"pass-${SECRET}","nested":{"secret":{"x":"${SECRET}"}},"u":"https://me:${SECRET}@x/?key=${SECRET}","args":"{\\"token\\":\\"${SECRET}\\"}"}`
  for (let end = 0; end <= text.length; end++) {
    const clean = redactText(text.slice(0, end))
    assert.not.match(clean, 'cana', clean)
    assert.not.match(clean, 'abcd', clean)
  }
})

test('events of a stream are cleaned like one text', () => {
  const clean = redactText(`data: {"delta":"hi"}\n\ndata: {"access_token":"${SECRET}","n":1}\n\ndata: [DONE]\n\n`)
  assert.is(clean, `data: {"delta":"hi"}\n\ndata: {"access_token":"${REDACTED}","n":1}\n\ndata: [DONE]\n\n`)
})

test('keys of known shapes, and the keys that the client sent, are found in prose', () => {
  const keys = [
    'sk-ant-REDACTED',
    'ghp_abcdefghijklmnopqrst',
    'AIzaSyA-abcdefghijklmnop',
    'AKIAABCDEFGHIJKLMNOP',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0abc.sig',
    '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----',
  ]
  for (const key of keys) assert.is(redactText(`my key is ${key} ok`), `my key is ${REDACTED} ok`)
  const known = secretsIn({ authorization: `Bearer ${SECRET}`, 'x-api-key': SECRET, host: 'example.com' })
  assert.equal(known, [SECRET, SECRET])
  assert.is(redactText(`it is ${SECRET}.`, known), `it is ${REDACTED}.`)
  assert.is(redactText('a task-force asks about sk and skills', known), 'a task-force asks about sk and skills')
})

test('a name that ends in the word key holds one, unless the key only finds something', () => {
  const secret = ['ocp-apim-subscription-key', 'OPENAI_KEY', 'OPENAI_KEY_2', 'openaiKey', 'my.key', 'GH_PAT', 'DB_PWD']
  const plain = [
    'key',
    'Key',
    'monkey',
    'hotkeys',
    'prompt_cache_key',
    'primaryKey',
    'Idempotency-Key',
    'compat',
    'spin',
  ]
  for (const name of secret) assert.ok(isSecretName(name), name)
  for (const name of plain) assert.not.ok(isSecretName(name), name)
})

test('headers in a body lose their values, whatever their names are', () => {
  const tool = { type: 'mcp', headers: { 'X-Custom': SECRET }, http_headers: [SECRET], name: 'headers' }
  const clean = redactText(JSON.stringify({ tools: [tool] }))
  assert.not.match(clean, SECRET)
  assert.equal(JSON.parse(clean).tools[0].name, 'headers')
  assert.is(redactText('{"letterheaders":{"a":"b"}}'), '{"letterheaders":{"a":"b"}}')
})

test('URLs lose users and secret parameters, in headers as in texts', () => {
  const urls: readonly (readonly [string, string])[] = [
    [`http://x/?api_key=${SECRET}&a=b`, `http://x/?api_key=${REDACTED}&a=b`],
    [`/v1?a=b&key=${SECRET}`, `/v1?a=b&key=${REDACTED}`],
    [`http://x/?a=b&amp;OPENAI_KEY=${SECRET}#c`, `http://x/?a=b&amp;OPENAI_KEY=${REDACTED}#c`],
    [`http://x/?to=/y?token=${SECRET}`, `http://x/?to=/y?token=${REDACTED}`],
    [`http://x/?api%5Fkey=${SECRET}`, `http://x/?api%5Fkey=${REDACTED}`],
    [`http://x/#access_token=${SECRET}`, `http://x/#access_token=${REDACTED}`],
    [`/?u=http%3A%2F%2Fy%2F%3Fkey%3D${SECRET}`, `/?u=http%3A%2F%2Fy%2F%3Fkey%3D${REDACTED}`],
    [`/?u=http%3A%2F%2Fme%3A${SECRET}%40y`, `/?u=http%3A%2F%2F${REDACTED}%40y`],
    [`https://user:${SECRET}@host/a`, `https://${REDACTED}@host/a`],
    [`redis://:${SECRET}@@host/1`, `redis://${REDACTED}@host/1`],
    [`https://x-0123456789-${SECRET}@host`, `https://${REDACTED}@host`],
  ]
  for (const [url, clean] of urls) {
    assert.equal(redactHeaders({ referer: url }, LIMITS), { referer: clean })
    for (const space of ['', ' and'])
      assert.is(
        redactText(JSON.stringify({ content: `see ${url}${space}` })),
        JSON.stringify({ content: `see ${clean}${space}` }),
      )
    const inner = JSON.stringify({ url }).replaceAll('/', '\\/').replaceAll('&', '\\u0026')
    for (const text of [inner, JSON.stringify({ arguments: inner })]) assert.not.match(redactText(text), SECRET)
  }
  const query = redactQuery(new URLSearchParams({ back: `http://x/?key=${SECRET}` }), 500)
  assert.not.match(query, SECRET)
})

test('ordinary texts stay as they are', () => {
  for (const text of [
    'Is the key=value form right? a&b, x && y; ssh://git@host/a.git http://localhost:8080/?page=2&sort=name#top me@x.org',
    'http://localhost:8080',
    'the escape \\u0041 stands for A: {"a":"\\\\u0022"}',
    '{"key":"a","headers_seen":"b","tokens":["c"],"prompt_cache_key":"d"}',
    'https://host/a?b=c%20d%3De',
  ])
    assert.is(redactText(text), text)
})

test('a name that is spelled with escapes is the same name', () => {
  const text = `{"api_ke\\u0079":"${SECRET}","args":"{\\u0022api_ke\\\\u0079\\u0022:\\u0022${SECRET}\\u0022}"}`
  for (const end of [text.length, text.length - 5]) {
    const clean = redactText(text.slice(0, end))
    assert.not.match(clean, 'canary')
    assert.match(clean, '"api_key":')
  }
})

test('a header that is cut shows nothing of a secret', () => {
  for (let before = 100; before < 220; before++) {
    const value = `${'-'.repeat(before)} https://me:${SECRET}@x ${'-'.repeat(900)}`
    const { referer = '' } = redactHeaders({ referer: value }, LIMITS)
    assert.not.match(referer, 'cana')
    assert.ok(referer.length <= 200)
  }
})

test('a header that is short once its secrets are out shows nothing from behind the cut', () => {
  // Of the key at its end 12 characters are looked at, too few for its shape.
  const value = `Bearer ${'A'.repeat(1_030)} ${'x'.repeat(485)} AKIA${'B'.repeat(16)} ${'x'.repeat(100)}`
  assert.not.match(redactHeaders({ 'x-a': value }, { longest: 1_024, most: 10 })['x-a'] ?? '', /AKIA/)
})

test('a name that nobody would choose is taken for one of a secret', () => {
  const query = new URLSearchParams([['3'.repeat(100_000), SECRET]])
  assert.not.match(redactQuery(query, 500), SECRET)
})

test('a query loses its keys', () => {
  const query = new URLSearchParams({ key: SECRET, alt: 'sse', access_token: SECRET, sig: SECRET })
  const clean = redactQuery(query, 500)
  assert.not.match(clean, SECRET)
  assert.match(clean, 'alt=sse')
  assert.is(redactQuery(new URLSearchParams(), 500), '')
})

test('a member is known by its name, however its quotes are escaped and its colon is set apart', () => {
  const found = (text: string): boolean => !redactText(text).includes(SECRET)
  for (const depth of [0, 1, 3, 7, 15]) {
    const quote = `${'\\'.repeat(depth)}"`
    for (const space of ['', ' ', '\n\t', '\\n', '\\\\r \\t'])
      assert.ok(found(`${quote}api-key${quote}${space}:${space}${quote}${SECRET}${quote}`), `${depth} ${space}`)
  }
  assert.not.ok(found(`\\"token":"${SECRET}"`.slice(2)), 'no quote begins the name')
  assert.not.ok(found(`"a b":"${SECRET}"`))
  assert.not.ok(found(`"${'x'.repeat(80)}token":"${SECRET}"`), 'nobody has so long a name')
})

test('a hostile text takes no more than its length', () => {
  for (const text of [
    '"token":"'.repeat(20_000),
    '\\'.repeat(100_000),
    '"a":{'.repeat(20_000),
    '"secret":{'.repeat(2_000),
    `${' '.repeat(50)}:`.repeat(2_000),
    `"${'\\n'.repeat(50)}:`.repeat(2_000),
    '?key='.repeat(20_000),
    '&'.repeat(100_000),
    '%26a'.repeat(20_000),
    '://'.repeat(20_000),
    `://${'a:'.repeat(20_000)}`,
    '%3a%2f%2f'.repeat(20_000),
    `%3a%2f%2f${'%41'.repeat(20_000)}`,
    `:${'\\\\'.repeat(50_000)}u00`,
    '\\\\u0022'.repeat(20_000),
  ]) {
    assert.ok(redactText(text).length < 600_000)
  }
})

test.run()
