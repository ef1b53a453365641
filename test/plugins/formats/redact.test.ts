import { test } from 'uvu'
import * as assert from 'uvu/assert'
import {
  isSecretName,
  REDACTED,
  redactHeaders,
  redactQuery,
  redactText,
  secretsIn,
} from '../../../plugins/formats/redact.ts'

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
  const text = `{"a":"${key}","password":"pass-${SECRET}","nested":{"secret":{"x":"${SECRET}"}},"args":"{\\"token\\":\\"${SECRET}\\"}"}`
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
  ]) {
    const clean = redactText(text.slice(0, 17_000))
    assert.ok(clean.length < 80_000)
  }
})

test.run()
