import { BodyWriter } from 'deflector/formats/canonical-body'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { rulesOf } from 'deflector/formats/compiled-rules'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

test('a long text counts for many values, so that no more of it is written at once', () => {
  const content = 'x'.repeat(4096)
  const body = { messages: Array.from({ length: 1000 }, () => ({ role: 'user', content })) }
  const writer = new BodyWriter(body, rulesOf(chatCompletions))
  let text = ''
  let longest = 0
  for (let done = false; !done; ) {
    done = writer.run(500)
    const written = writer.take()
    longest = Math.max(longest, written.length)
    text += written
  }
  assert.ok(longest < 128 << 10, `${longest} characters in one run`)
  assert.equal(JSON.parse(text), body)
})

test.run()
