import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { curlOf } from '../../../ui-web/src/tabs/requests/curl.ts'
import { outcomeOf } from '../../../ui-web/src/tabs/requests/outcomes.ts'
import { promptIn } from '../../../ui-web/src/tabs/requests/prompt-in.ts'

test('a neighbour that was compared has its numbers, its rule and the request that stored it', () => {
  assert.equal(outcomeOf('refused numbers 0.9312 0.1200 r-1'), {
    words: 'Miss: the nearest has other numbers (rule “numbers”).',
    tone: undefined,
    neighbour: { similarity: '0.9312', probability: undefined, id: 'r-1' },
  })
  const judged = outcomeOf('refused improbable 0.9312 0.1200 r-1')
  assert.equal(
    [judged.words, judged.neighbour?.probability],
    [...['Miss: the nearest is not likely to have the same answer.', '0.1200']],
  )
  assert.equal(outcomeOf('similar 0.9812 r-2').neighbour, { similarity: '0.9812', probability: undefined, id: 'r-2' })
  assert.is(outcomeOf('skipped volatile').words, 'Not looked up: its answer changes over time or should vary')
  assert.is(outcomeOf('refused').words, 'Refused: a limit has no room for it')
  assert.is(outcomeOf('a word of its own').words, 'a word of its own')
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
