import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'

/**
 * How long a body of a megabyte keeps everybody else waiting. The best of some rounds counts, and the bound is wide: the
 * test's own client works on the same loop, and a busy machine only ever adds. What is measured is printed.
 */
const MORE_THAN_IDLE_MS = 25
const MEGABYTE = 1 << 20
const ROUNDS = 10

const gateway = await startGateway({ settings: { SERVICE__OFFLINE_MODE: 'true' } })
test.after(() => gateway.close())

const filled = (item: (at: number) => string): string => {
  let text = item(0)
  for (let at = 1; text.length < MEGABYTE - 400; at++) text += `,${item(at)}`
  return text
}
const said = (content: string, more = ''): string =>
  `{"model":"m","messages":[{"role":"user","content":${content}}]${more}}`
const bodies: Readonly<Record<string, string>> = {
  'one string': said(`"${'lorem ipsum '.repeat(87_000)}"`),
  'thousands of turns': `{"model":"m","messages":[${filled(at => `{"role":"user","content":"${at} ${'word '.repeat(36)}"}`)}]}`,
  'small objects': said('"a"', `,"x":[${filled(at => `{"a":${at},"b":"c"}`)}]`),
  numbers: said('"a"', `,"x":[${filled(at => String(at * 7))}]`),
  'one large integer': said(`"${'lorem ipsum '.repeat(87_000)}"`, ',"seed":12345678901234567890'),
}

async function delayDuring(work: () => Promise<void>): Promise<number> {
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  await work()
  monitor.disable()
  return monitor.percentile(99) / 1e6
}

const idleMs = await delayDuring(() => pause(300))

for (const [name, body] of Object.entries(bodies)) {
  test(`a body of a megabyte (${name}) holds nobody else up`, async () => {
    const send = async (at: number): Promise<void> => {
      const reply = await gateway.send('/v1/chat/completions', body.replace('"m"', `"m${at}"`))
      assert.is(reply.status, 503, reply.text)
      await pause(5)
    }
    let ms = Number.POSITIVE_INFINITY
    for (let at = 0; at < ROUNDS; at++) ms = Math.min(ms, await delayDuring(() => send(at)))
    console.log(`${name}: best p99 ${ms.toFixed(1)} ms, idle ${idleMs.toFixed(1)} ms`)
    assert.ok(ms <= idleMs + MORE_THAN_IDLE_MS, `${ms} ms`)
  })
}

test.run()
