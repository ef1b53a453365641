import { isGatewayError, NO_CALL, promptOf } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { embeddings } from 'deflector/formats/embeddings'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

test("a model's name has 2,048 characters at most, in the body as in the path", () => {
  const said = [{ role: 'user', content: 'hello' }]
  const contents = [{ role: 'user', parts: [{ text: 'hello' }] }]
  const inPath = (model: string) => ({ ...NO_CALL, path: `/v1beta/models/${model}:generateContent` })
  const reads: readonly ((model: string) => unknown)[] = [
    model => promptOf(chatCompletions, new Uint8Array(), { model, messages: said }).model,
    model => promptOf(messages, new Uint8Array(), { model, max_tokens: 1, messages: said }).model,
    model => promptOf(embeddings, new Uint8Array(), { model, input: 'hello' }).model,
    model => promptOf(generateContent, new Uint8Array(), { contents }, inPath(model)).model,
  ]
  for (const read of reads) {
    assert.is(read('m'.repeat(2048)), 'm'.repeat(2048))
    assert.throws(
      () => read('m'.repeat(2049)),
      (error: unknown) =>
        isGatewayError(error) &&
        error.code === 'bad_request' &&
        error.param === 'model' &&
        error.message === 'model: must have 2048 characters at most',
    )
  }
})

test.run()
