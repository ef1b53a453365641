import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { TINY_WRITER } from '../support/tiny-writer.ts'
import { startUpstream } from '../support/upstream.ts'

/** The trained classifier of the package says who is answered by the tiny model; no server is asked. */
const file = `enable_slm_router = true\n\n[slm_router]\nclassifier = "heads"\nmodel_path = '${TINY_WRITER}'\n`
const upstream = await startUpstream()
const gateway = await startGateway({ upstream, file })
test.before.each(() => upstream.clear())
test.after(async () => {
  await gateway.close()
  await upstream.close()
})

const layerOf = async (content: string): Promise<string | null> => {
  const reply = await gateway.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content }] })
  return reply.headers.get('x-service-layer')
}

test('templates and snippets are answered in process', async () => {
  for (const prompt of ['Write a .gitignore for Node.', 'Write a Python function that reverses a string.'])
    assert.is(await layerOf(prompt), 'l2', prompt)
  assert.is(upstream.calls.length, 0)
})

test('what needs more than that goes to the vendor', async () => {
  const prompts = [
    'Why does my test fail since yesterday?',
    'Refactor the whole billing module into services.',
    'Now do the same for the other files, please.',
    'What is the newest version of React?',
    'Write integration tests for the login flow.',
  ]
  for (const prompt of prompts) assert.is(await layerOf(prompt), 'l3', prompt)
  assert.is(upstream.calls.length, prompts.length)
})

test.run()
