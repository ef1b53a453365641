import type { ChatFormat, JsonObject } from 'deflector'
import { withoutParts } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const isOthers = (proof: string): boolean => proof === 'theirs'

/** A turn of an assistant with one proof, and what is left of it where the proof is another vendor's. */
const CASES: readonly [ChatFormat, (proof: string) => JsonObject, JsonObject][] = [
  [
    chatCompletions,
    proof => ({
      messages: [
        { role: 'assistant', content: 'a', reasoning_details: [{ type: 'reasoning.text', signature: proof }] },
      ],
    }),
    { messages: [{ role: 'assistant', content: 'a' }] },
  ],
  [
    chatCompletions,
    proof => ({
      messages: [
        { role: 'assistant', tool_calls: [{ id: 'c', extra_content: { google: { thought_signature: proof } } }] },
      ],
    }),
    { messages: [{ role: 'assistant', tool_calls: [{ id: 'c' }] }] },
  ],
  [
    messages,
    proof => ({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'redacted_thinking', data: proof },
            { type: 'text', text: 'a' },
          ],
        },
      ],
    }),
    { messages: [{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }] },
  ],
  [
    responses,
    proof => ({
      input: [
        { type: 'reasoning', encrypted_content: proof },
        { type: 'message', role: 'assistant', content: 'a' },
      ],
    }),
    { input: [{ type: 'message', role: 'assistant', content: 'a' }] },
  ],
  [
    generateContent,
    proof => ({
      contents: [{ role: 'model', parts: [{ thought: true, text: 'hm', thoughtSignature: proof }, { text: 'a' }] }],
    }),
    { contents: [{ role: 'model', parts: [{ text: 'a' }] }] },
  ],
]

for (const [at, [format, bodyWith, left]] of CASES.entries())
  test(`${format.name} leaves out what another vendor of it signed, and nothing else (${at})`, () => {
    const body = bodyWith('theirs')
    const { parts = [], replaced } = format.foreign?.(body, isOthers) ?? {}
    const bytes = withoutParts(Buffer.from(JSON.stringify(body)), parts, replaced)
    assert.equal(JSON.parse(Buffer.from(bytes).toString()), left)
    assert.is(format.foreign?.(bodyWith('mine'), isOthers), undefined)
    assert.is(format.foreign?.(body), undefined)
  })

test.run()
