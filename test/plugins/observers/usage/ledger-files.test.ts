import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { dayOf } from '../../../../plugins/observers/usage/aggregates.ts'
import { LedgerFiles } from '../../../../plugins/observers/usage/ledger-files.ts'
import { ManualClock } from '../../../contracts/clock.ts'
import { opened, tempFolder } from '../../../support/opened.ts'

test('a log whose sums cannot be deleted is written to all the same', async () => {
  const now = Date.UTC(2026, 10, 22, 12)
  const folder = tempFolder('forgotten')
  const files = await LedgerFiles.open(folder, new ManualClock(now))
  opened(() => files.close())
  await files.append(Buffer.from('{"a":1}\n'), dayOf(now), undefined)
  mkdirSync(join(folder, 'usage.2026-11-22.books.json'))
  const failed = await files.forget(dayOf(now) + 31, 30).then(
    () => false,
    () => true,
  )
  assert.ok(failed)
  await files.append(Buffer.from('{"a":2}\n'), dayOf(now), undefined)
  assert.is(readFileSync(join(folder, 'usage.jsonl'), 'utf8'), '{"a":2}\n')
})

test.run()
