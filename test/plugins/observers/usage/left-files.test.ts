import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hostLog } from '../../../../core/host-log.ts'
import { Aggregates, dayOf } from '../../../../plugins/observers/usage/aggregates.ts'
import { LeftFiles } from '../../../../plugins/observers/usage/left-files.ts'
import { ManualClock } from '../../../contracts/clock.ts'
import { opened, tempFolder } from '../../../support/opened.ts'
import { sampleEvent } from './sample.ts'

test('sums that were taken over stay, also where the folder was about to be looked at under the former name', async () => {
  const now = Date.UTC(2026, 10, 22, 12)
  const clock = new ManualClock(now)
  const silent = () => {}
  const log = hostLog({ debug: silent, info: silent, warn: silent, error: silent }, clock)
  const left = new LeftFiles(clock, log, () => ({ folder: tempFolder('left'), retentionDays: 30 }))
  opened(() => left.close())
  await left.readBeside('usage')
  const sums = new Aggregates()
  sums.add(sampleEvent('a', now), dayOf(now))
  left.add('usage', sums)
  await clock.advance(15_000)
  await left.readBeside('usage-2')
  assert.is([...left.aggregates.hours].length, 1)
})

test.run()
