import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { chatCompletionsUrl, isExposed, messagesUrl, urlProblem } from '../../../../plugins/providers/upstream/url.ts'

for (const given of [
  'https://api.acme.com/v1',
  'https://api.acme.com/v1/',
  'https://api.acme.com/v1/chat/completions',
  'https://api.acme.com/v1/chat/completions/',
]) {
  test(`${given} is a place for chat completions`, () => {
    assert.is(chatCompletionsUrl(given).href, 'https://api.acme.com/v1/chat/completions')
  })
}

test('a base without /v1 stays without one for chat completions', () => {
  assert.is(chatCompletionsUrl('https://api.deepseek.com').href, 'https://api.deepseek.com/chat/completions')
})

for (const given of [
  'https://api.acme.com',
  'https://api.acme.com/',
  'https://api.acme.com/v1',
  'https://api.acme.com/v1/',
  'https://api.acme.com/v1/messages',
]) {
  test(`${given} is a place for messages`, () => assert.is(messagesUrl(given).href, 'https://api.acme.com/v1/messages'))
}

test('a prefix before /v1 is kept', () => {
  assert.is(messagesUrl('https://acme.com/anthropic').href, 'https://acme.com/anthropic/v1/messages')
})

test('a query is kept', () => {
  assert.is(chatCompletionsUrl('https://acme.com/v1?region=eu').href, 'https://acme.com/v1/chat/completions?region=eu')
})

test('what cannot be called says why', () => {
  assert.match(urlProblem('https://acme.com/{account_id}/v1') ?? '', 'account_id')
  const holed = urlProblem('https://me:hunter2@acme.com/{account_id}/v1?key=QSECRET#FRAGMENT') ?? ''
  assert.match(holed, /account_id.* https:\/\/acme\.com\/\{account_id\}\/v1$/)
  assert.match(urlProblem('acme') ?? '', 'not a URL')
  assert.match(urlProblem('ftp://acme.com') ?? '', 'https://')
  assert.match(urlProblem('https://me:secret@acme.com') ?? '', 'api_key')
  assert.not.match(urlProblem('https://me:secret@acme.com') ?? '', 'secret')
  assert.is(urlProblem('http://localhost:11434/v1'), undefined)
})

test('only plain http to a public host is exposed', () => {
  assert.ok(isExposed(new URL('http://api.acme.com')))
  assert.not(isExposed(new URL('https://api.acme.com')))
  assert.not(isExposed(new URL('http://192.168.1.2')))
})

test.run()
