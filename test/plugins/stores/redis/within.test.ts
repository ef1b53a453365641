import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { within } from '../../../../plugins/stores/redis/within.ts'

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

test('gives the outcome, good or bad, when it comes in time', async () => {
  assert.is(await within(5000, Promise.resolve(1)), 1)
  assert.is(await within(5000, Promise.reject(new Error('broken'))).catch(messageOf), 'broken')
})

test('fails when nothing comes, and what comes later troubles nobody', async () => {
  let late: (error: Error) => void = () => {}
  const promise = new Promise<never>((_, reject) => {
    late = reject
  })
  assert.is(await within(5, promise).catch(messageOf), 'no answer within 5 ms')
  late(new Error('too late'))
})

test('an answer that arrived while the process was busy is in time', async () => {
  const echo = spawn('cat', { stdio: ['pipe', 'pipe', 'ignore'] })
  const heard = (): Promise<unknown[]> => once(echo.stdout, 'data')
  const first = heard()
  echo.stdin.write('is it there?')
  await first
  const answer = within(100, heard())
  echo.stdin.write('again')
  const busyUntil = Date.now() + 500
  while (Date.now() < busyUntil); // no turn of the event loop until long after the limit
  assert.is(String(await answer), 'again')
  echo.kill()
})

test.run()
