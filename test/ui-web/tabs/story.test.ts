import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { curlOf } from '../../../ui-web/src/tabs/requests/curl.ts'
import { missesIn } from '../../../ui-web/src/tabs/requests/misses.ts'
import { outcomeOf } from '../../../ui-web/src/tabs/requests/outcomes.ts'
import { promptIn } from '../../../ui-web/src/tabs/requests/prompt-in.ts'

test('a step is told in the words of its layer, and a plain outcome in ours', () => {
  assert.equal(outcomeOf({ outcome: 'miss busy', words: 'compared nothing' }), {
    words: 'Compared nothing',
    tone: undefined,
  })
  assert.is(outcomeOf({ outcome: 'passed' }).words, 'Passed it on')
  assert.is(outcomeOf({ outcome: 'refused' }).tone, 'bad')
  assert.is(outcomeOf({ outcome: 'a word of its own' }).words, 'a word of its own')
  assert.is(outcomeOf({ outcome: 'constructor' }).words, 'constructor')
})

test('of the layers that had no answer only caches say why', () => {
  const step = { hook: 'answer', ms: 1 }
  const trail = [
    { ...step, layer: 'exact-cache', outcome: 'miss', cache: true },
    { ...step, layer: 'semantic-cache', outcome: 'passed', cache: true },
    { ...step, layer: 'slm', outcome: 'declined long' },
    { ...step, layer: 'optimiser', outcome: 'shortened' },
    { ...step, layer: 'exact-cache', outcome: 'stored', cache: true, hook: 'settle' },
  ]
  assert.equal(
    missesIn({ trail }).map(({ layer }) => layer),
    ['exact-cache'],
  )
})

test('the question is the last turn, in every dialect', () => {
  const asked = (body: object) => promptIn(JSON.stringify(body))
  const text = 'What is a heron?'
  const parts = [{ type: 'text', text }]
  for (const body of [
    { messages: [{ role: 'user', content: text }] },
    { messages: [{ role: 'user', content: parts }] },
    { input: text },
    { input: [{ role: 'user', content: [{ type: 'input_text', text }] }] },
    { contents: [{ parts: [{ text }] }] },
    { prompt: text },
  ])
    assert.equal(asked(body), { text, partial: false }, JSON.stringify(body))
  assert.equal(asked({ system: 'Be brief.', messages: [{ role: 'user', content: text }] }), { text, partial: true })
  assert.is(asked({ messages: [] }), undefined)
  assert.is(promptIn('{"messages":[{"role":"us'), undefined)
  assert.is(promptIn(null), undefined)
})

test('a request becomes a command without its key, quoted for a shell, unless only its beginning is kept', () => {
  const story = {
    source: 'request_log',
    request_id: 'r',
    method: 'POST',
    path: '/v1/messages',
    request_headers: { 'content-type': 'application/json', 'x-api-key': '[redacted]', authorization: 'Bearer secret' },
    request_body: '{"text":"it\'s"}',
  } as const
  assert.is(
    curlOf(story, 'http://here'),
    [
      "curl -X POST 'http://here/v1/messages'",
      '-H "X-API-Key: $KEY"',
      "-H 'content-type: application/json'",
      String.raw`--data-raw '{"text":"it'\''s"}'`,
    ].join(' \\\n  '),
  )
  assert.is(curlOf({ ...story, request_body_truncated: true }, 'http://here'), undefined)
})

test.run()
