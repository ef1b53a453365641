import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway } from '../support/gateway.ts'
import { LARGE_BODIES } from '../support/large-bodies.ts'

/**
 * How long a body of a megabyte keeps everybody else waiting. The best of some rounds counts, and the bound is wide: the
 * test's own client works on the same loop, and a busy machine only ever adds. What is measured is printed.
 */
const MORE_THAN_IDLE_MS = 25
const ROUNDS = 10

const gateway = await startGateway({ settings: { SERVICE__OFFLINE_MODE: 'true' } })
test.after(() => gateway.close())

async function delayDuring(work: () => Promise<void>): Promise<number> {
  const monitor = monitorEventLoopDelay({ resolution: 1 })
  monitor.enable()
  await work()
  monitor.disable()
  return monitor.percentile(99) / 1e6
}

const idleMs = await delayDuring(() => pause(300))

for (const [name, body] of Object.entries(LARGE_BODIES)) {
  test(`a body of a megabyte (${name}) holds nobody else up`, async () => {
    const send = async (at: number): Promise<void> => {
      const reply = await gateway.send('/v1/chat/completions', body.replace('"m"', `"m${at}"`))
      // Taken, and then nobody may answer; or refused for its shape.
      assert.ok(reply.status === 503 || reply.status === 400, reply.text)
      await pause(5)
    }
    let ms = Number.POSITIVE_INFINITY
    for (let at = 0; at < ROUNDS; at++) ms = Math.min(ms, await delayDuring(() => send(at)))
    console.log(`${name}: best p99 ${ms.toFixed(1)} ms, idle ${idleMs.toFixed(1)} ms`)
    assert.ok(ms <= idleMs + MORE_THAN_IDLE_MS, `${ms} ms`)
  })
}

test.run()
