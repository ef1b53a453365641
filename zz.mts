import { redactText as old } from '/tmp/w/exp/redact-old.ts'
import { redactText as now } from './plugins/formats/redact.ts'
import { promptBody } from './test/bench/bodies.ts'
const parts = ['"', '\\', '\\\\', ':', ' ', '\n', '\\n', '\\\\n', 'n', 't', 'token', 'api_key', 'x', '{', '}', '[', ']', ',', 'sk-abcdefghijklmnop', 'sk-', 'Bearer abcdefghij', '"a":1', '\\"password\\":\\"x\\"', 'é', '\u2028', '-----BEGIN RSA PRIVATE KEY-----', 'eyJabcdefghij.abcdefghijk', 'AKIAABCDEFGHIJKLMN', 'a'.repeat(81)]
let bad = 0
for (let i = 0; i < 1_500_000 && bad < 5; i++) {
  let t = ''
  for (let n = Math.random() * 14; n > 0; n--) t += parts[(Math.random() * parts.length) | 0]
  if (old(t) !== now(t)) { bad++; console.log(JSON.stringify(t), '\n', JSON.stringify(old(t)), '\n', JSON.stringify(now(t))) }
}
console.log('bad', bad)
const b = promptBody(1024, -1)
const reply = JSON.stringify({ id: 'chatcmpl-abcdefghijklmnopqrst', object: 'chat.completion', created: 1, model: 'gpt-4o', choices: [{ index: 0, message: { role: 'assistant', content: 'x y '.repeat(60) }, finish_reason: 'stop' }], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } })
for (const [n, f] of [['old', old], ['now', now], ['old', old], ['now', now]] as const) {
  const t0 = performance.now()
  for (let i = 0; i < 40000; i++) { f(b + ' '); f(reply) }
  console.log(n, ((performance.now() - t0) / 40).toFixed(2), 'us')
}
