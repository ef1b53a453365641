import { test } from 'uvu'
import * as assert from 'uvu/assert'
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

test.run()
