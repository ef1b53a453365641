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
    assert.match(stdout, /^\d{4}-\d\d-\d\d +openai +gpt-of-tomorrow +1 +0 +\d+ +unknown +unknown$/m)
    const json = JSON.parse((await usage('--json')).stdout)
    assert.equal([json.total_requests, json.entries[0].completion_tokens > 0, json.retention_days], [3, true, 30])
    assert.match((await usage('--by-tool')).stdout, /^unknown +3 +1 +\d+ +\$0\.0350 +\$0\.0350$/m)
    const wrong = await usage('--hours', 'many')
    assert.is(wrong.code, 1)
    assert.match(wrong.stderr, '--hours: must be a whole number of hours')
  }),
)

test.run()
