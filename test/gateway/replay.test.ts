import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** A recorded stream of prompts that stands beside a checkout; where it is not, the words below are replayed. */
const recorded = fileURLToPath(new URL('../../../shared/data/semantic/stream_mixed.jsonl', import.meta.url))

const WORDS = ['cache', 'proxy', 'stream', 'token', 'budget', 'vendor', 'retry']
const ownPrompts = (): string[] =>
  Array.from({ length: 300 }, (_, i) => `What is a ${WORDS[(i * i) % 7]} good for, in ${1 + ((i * 31) % 40)} words?`)

const prompts = existsSync(recorded)
  ? readFileSync(recorded, 'utf8')
      .split('\n', 2000)
      .map(line => String(JSON.parse(line).prompt))
  : ownPrompts()

test('a long replay has as many hits as it has verbatim repeats, and no error', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream, settings: { SERVICE__CACHE_TTL_SECS: '86400' } })
  let hits = 0
  for (const prompt of prompts) {
    const { status, headers } = await gateway.post('/api/chat', { prompt })
    assert.is(status, 200)
    if (headers.get('x-service-layer') === 'l1a') hits++
  }
  const repeats = prompts.length - new Set(prompts).size
  assert.ok(repeats > 50)
  assert.is(hits, repeats)
  assert.is(upstream.calls.length, prompts.length - repeats)
  await gateway.close()
  await upstream.close()
})

test.run()
