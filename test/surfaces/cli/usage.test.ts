import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../../support/gateway.ts'
import { startUpstream } from '../../support/upstream.ts'
import { inShell } from './command.ts'

test(
  'stats --usage tells what requests cost and saved, by day and model',
  inShell(async shell => {
    const upstream = await startUpstream()
    upstream.script({ text: 'a bird', usage: { input: 10_000, output: 1000 } }, { text: 'a bird' })
    const gateway = await startGateway({ upstream })
    const ask = (model: string) =>
      gateway.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'What is a heron?' }] })
    for (const model of ['gpt-4o', 'gpt-4o', 'gpt-of-tomorrow']) await ask(model)
    const usage = (...args: string[]) => shell.run(['stats', '--usage', '--gateway-url', gateway.url, ...args])
    const { stdout } = await usage('--hours', '2')
    assert.match(stdout, /^last 2 hours: 3 requests, 1 deflected \(33\.3 %\)$/m)
    assert.match(stdout, /^cost \$0\.0350, saved \$0\.0350$/m)
    assert.match(stdout, /^without 1 calls or deflections whose price is unknown$/m)
    assert.match(stdout, /^\d{4}-\d\d-\d\d +openai +gpt-4o +2 +1 +11000 +\$0\.0350 +\$0\.0350$/m)
    assert.match(stdout, /^\d{4}-\d\d-\d\d +openai +gpt-of-tomorrow +1 +0 +\d+ +unknown +\$0\S*$/m)
    const json = JSON.parse((await usage('--json')).stdout)
    assert.equal([json.total_requests, json.entries[0].completion_tokens > 0, json.retention_days], [3, true, 30])
    assert.match((await usage('--by-tool')).stdout, /^unknown +3 +1 +\d+ +\$0\.0350 +\$0\.0350$/m)
    assert.match((await usage('--by', 'principal')).stdout, /^none +3 +1 +\d+ +\$0\.0350 +\$0\.0350$/m)
    const wrong = await usage('--hours', 'many')
    assert.is(wrong.code, 1)
    assert.match(wrong.stderr, '--hours: must be a whole number of hours')
  }),
)

test(
  'stats --usage --by tells who spent what, small sums in full, and how full limits are',
  inShell(async shell => {
    const upstream = await startUpstream()
    upstream.script({ text: 'a bird', usage: { input: 10, output: 1 } })
    const keys = [
      { key: 'key-of-ann-0123456789', label: 'ann' },
      { key: 'key-of-op-01234567890', label: 'op', admin: true },
    ]
    const gateway = await startGateway({
      upstream,
      settings: {
        SERVICE__GATEWAY_API_KEYS: JSON.stringify(keys),
        SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1000',
      },
    })
    const body = { model: 'gpt-4o', max_tokens: 5, messages: [{ role: 'user', content: 'What is a heron?' }] }
    await gateway.post('/v1/chat/completions', body, { 'x-api-key': 'key-of-ann-0123456789' })
    const stats = (...args: string[]) =>
      shell.run(['stats', '--gateway-url', gateway.url, '--gateway-api-key', 'key-of-op-01234567890', ...args])
    const { stdout } = await stats('--usage', '--by', 'principal')
    assert.match(stdout, /^ann +1 +0 +11 +\$0\.000035 +\$0\.00$/m)
    assert.match(stdout, /^limits:\n {2}openai: .*\(11 tokens of 1,000 tokens.*\(warn\)$/m)
    assert.match((await stats('--usage', '--by', 'model')).stdout, /^openai +gpt-4o +1 +0 +11 /m)
    const { stdout: long } = await stats('--usage', '--hours', '99999999')
    assert.match(long, /^usage_retention_days keeps no more than 744 hours; 99999999 were asked for$/m)
    assert.match(long, /^limits:$/m)
    for (const [wrong, said] of [
      [['--hours', '-1'], '--hours goes with --usage'],
      [['--by', 'tag'], '--by goes with --usage'],
      [['--usage', '--by', 'weather'], 'Allowed choices are'],
    ] as const) {
      const { code, stderr } = await stats(...wrong)
      assert.is(code, 1)
      assert.match(stderr, said)
    }
  }),
)

test.run()
