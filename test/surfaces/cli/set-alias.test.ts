import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startUpstream } from '../../support/upstream.ts'
import { inShell } from './command.ts'
import { FREE, up } from './gateway.ts'

test(
  'an alias is written into the file that is read, and a gateway knows it after a reload',
  inShell(async shell => {
    const upstream = await startUpstream()
    const file = shell.write('service.toml', '# ours\nllm_provider = "openai" # primary\n')
    const { url } = await up(shell, FREE, {
      SERVICE__EXTERNAL_LLM_URL: upstream.url,
      SERVICE__EXTERNAL_LLM_API_KEY: 'k',
    })
    const set = await shell.run(['set-alias', '--alias', 'fast', '--model', 'gpt-5.4-nano'])
    assert.is(
      set.stdout,
      `set: fast is gpt-5.4-nano, in ${file}\na running gateway reads it with "deflector reload"\n`,
      set.stderr,
    )
    assert.match(shell.read('service.toml'), /^# ours\nllm_provider = "openai" # primary\n/)
    assert.is((await shell.run(['reload'])).code, 0)
    const body = JSON.stringify({ model: 'fast', messages: [{ role: 'user', content: 'hello' }] })
    await (await fetch(`${url}/v1/chat/completions`, { method: 'POST', body })).text()
    assert.is(upstream.calls[0]?.body?.model, 'gpt-5.4-nano')
    assert.match((await shell.run(['set-alias', '--alias', 'fast', '--model', 'gpt-5.4-nano'])).stdout, /^unchanged/)
  }),
)

test(
  'without a file one is made in the data directory; what overrides it is named, and nonsense is refused',
  inShell(async shell => {
    const args = ['set-alias', '--alias', 'fast', '--model', 'gpt-x']
    const set = await shell.run(args, { SERVICE__MODEL_ALIASES__FAST: 'gpt-other' })
    assert.is(set.code, 0, set.stderr)
    assert.match(set.stderr, /SERVICE__MODEL_ALIASES__FAST has another value, and that one is used/)
    assert.is(readFileSync(join(shell.dataDir, 'service.toml'), 'utf8'), '[model_aliases]\nfast = "gpt-x"\n')
    const same = await shell.run(['set-alias', '--alias', 'a', '--model', 'a'])
    assert.is(same.code, 1)
    assert.match(same.stderr, /is the model itself/)
    assert.is((await shell.run(['set-alias', '--alias', 'a', '--model', ' '])).code, 1)
    const circle = await shell.run(['set-alias', '--alias', 'gpt-x', '--model', 'fast'])
    assert.is(circle.code, 1)
    assert.match(circle.stderr, 'gpt-x -> fast -> gpt-x is a circle')
  }),
)

test.run()
