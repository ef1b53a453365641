import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { loadSettings } from '../../config/load.ts'
import { pipelineSettings } from '../../config/providers.ts'
import { Gateway } from '../../core/gateway.ts'
import { addressOf } from '../../surfaces/cli/address.ts'
import { DEFAULT_PIPELINE } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

test('after a reload with another vendor, no answer of the old one is served to those who name no model', async () => {
  const upstream = await startUpstream()
  const folder = mkdtempSync(join(tmpdir(), 'deflector-test-'))
  let vendor = 'openai'
  const env = (): Record<string, string> => ({
    SERVICE_DATA_DIR: folder,
    SERVICE__HOST: '127.0.0.1',
    SERVICE__PORT: '0',
    SERVICE__LLM_PROVIDER: vendor,
    SERVICE__EXTERNAL_LLM_URL: upstream.url,
    SERVICE__EXTERNAL_LLM_API_KEY: 'test-key',
  })
  const gateway = await Gateway.start({
    pipelineFile: DEFAULT_PIPELINE,
    settings: () => pipelineSettings(loadSettings({ cwd: folder, env: env() })),
    log: { debug() {}, info() {}, warn() {}, error() {} },
  })
  const layer = async (): Promise<string | null> => {
    const port = addressOf(gateway)?.port
    const body = JSON.stringify({ prompt: 'who are you?' })
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`http://127.0.0.1:${port}/api/chat`, { method: 'POST', body, headers })
    await reply.text()
    return reply.headers.get('x-service-layer')
  }
  try {
    assert.equal([await layer(), await layer()], ['l3', 'l1a'])
    vendor = 'groq'
    assert.is((await gateway.reload()).ok, true)
    assert.is(await layer(), 'l3')
    assert.equal(
      upstream.calls.map(({ body }) => body?.model),
      ['gpt-5.4-nano', 'openai/gpt-oss-20b'],
    )
  } finally {
    await gateway.close(1000)
    await upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
})

test.run()
