import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { wordJudgePipeline } from '../../support/word-judge-pipeline.ts'
import { inShell } from './command.ts'
import { FREE, up } from './gateway.ts'

const STORED = 'How do I cancel my gym membership plan before the end of the year without a fee at all?'
const OTHERWISE = 'How can I cancel the gym membership plan before the end of year without a fee at all?'

test(
  'the command tells candidate, probability, rule and decision, no wider than a terminal, or prints JSON',
  inShell(async shell => {
    const key = { SERVICE__GATEWAY_API_KEY: 'a-key' }
    const { url } = await up(shell, ['--demo', '--pipeline', wordJudgePipeline(), ...FREE], {
      ...key,
      SERVICE__CACHE_MODE: 'both',
    })
    const headers = { 'content-type': 'application/json', 'x-api-key': 'a-key' }
    await (await fetch(`${url}/api/chat`, { method: 'POST', headers, body: JSON.stringify({ prompt: STORED }) })).text()

    const { code, stdout } = await shell.run(['cache', 'why', OTHERWISE], key)
    assert.is(code, 0)
    assert.match(stdout, /^semantic-cache would answer\nsurface native \(others: chat-completions,/)
    assert.match(stdout, /^exact-cache: miss, no answer to this very request is stored$/m)
    assert.match(stdout, /^ {2}canonical +how can i cancel the gym/m)
    assert.match(stdout, /^ {3}\*1 {2}0\.\d{4} +[01]\.\d{4} +- +How do I cancel my gym membership plan.*…$/m)
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)

    const pair = await shell.run(['cache', 'why', 'enable dark mode', 'disable dark mode', '--json'], key)
    const { answers, caches } = JSON.parse(pair.stdout)
    assert.equal([answers, caches['semantic-cache'].candidates[0].rule], [null, 'opposites'])

    const keyless = await shell.run(['cache', 'why', STORED])
    assert.is(keyless.code, 1)
    assert.match(keyless.stderr, 'needs gateway_api_key, or a key with "admin = true"; pass it with --gateway-api-key')
    const unknown = await shell.run(['cache', 'why', STORED, '--surface', 'nope'], key)
    assert.is(unknown.code, 1)
    assert.match(unknown.stderr, 'surface: must be one of native, chat-completions')
  }),
)

test(
  'without a running gateway, or with a blank prompt, it says so',
  inShell(async shell => {
    const away = await shell.run(['cache', 'why', 'a question'])
    assert.is(away.code, 1)
    assert.match(away.stderr, 'no gateway is running')
    const blank = await shell.run(['cache', 'why', ' '])
    assert.is(blank.stderr, 'deflector: a prompt must not be blank\n')
  }),
)

test.run()
