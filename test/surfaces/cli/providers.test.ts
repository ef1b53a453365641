import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startUpstream } from '../../support/upstream.ts'
import { inShell } from './command.ts'

test(
  'where no gateway runs, the chain of the settings is printed, without keys',
  inShell(async shell => {
    const groq = '[[fallback_providers]]\nprovider = "groq"\nmodel = "big"\napi_key = "gsk-0123456789-abcdefgh"\n'
    shell.write('service.toml', groq)
    const { code, stdout } = await shell.run(['providers'])
    assert.is(code, 0)
    assert.match(stdout, 'no gateway is running here')
    assert.match(stdout, /^openai +openai +- +-$/m)
    assert.match(stdout, /^groq +groq +big +set$/m)
    assert.not.match(stdout, 'gsk-')
    const { providers } = JSON.parse((await shell.run(['providers', '--json'])).stdout)
    assert.equal(providers[1], { name: 'groq', vendor: 'groq', model: 'big', api_key_configured: true })
  }),
)

test(
  'a key that cools down is named by its label, its ends or its place, with the time that is left',
  inShell(async shell => {
    const gateway = await startUpstream()
    const cooling = { status: 'cooling_down', cooldown_until: new Date(Date.now() + 3_600_000).toISOString() }
    const keys = [
      { masked_key: '…', position: 1, label: 'backup', ...cooling },
      { masked_key: 'sk-…bcd', position: 2, label: null, ...cooling },
      { masked_key: '…', position: 3, label: null, ...cooling },
      { masked_key: '…', position: 4, label: 'well', status: 'available', cooldown_until: null },
    ]
    const facts = { active: true, status: 'healthy', model: null, endpoint: null, api_key_configured: true }
    const openai = { name: 'openai', ...facts, requests_total: 1, errors_total: 0, keys }
    gateway.script({ json: { active_provider: 'openai', providers: [openai] } })
    const { stdout, stderr } = await shell.run(['providers', '--gateway-url', new URL(gateway.url).origin])
    assert.match(stdout, '4, 3 cooling down', stderr)
    for (const name of ['backup', 'sk-…bcd', 'key 3'])
      assert.match(stdout, new RegExp(`^openai: ${name} cools down for 3\\d{3} s$`, 'm'))
  }),
)

test.run()
