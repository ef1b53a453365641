import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { LogWriter } from '../../../../plugins/observers/request-log/log-writer.ts'
import { RotatingFile } from '../../../../plugins/observers/request-log/rotating-file.ts'
import { testHost } from '../../../contracts/host.ts'
import { opened, tempFolder } from '../../../support/opened.ts'
import { sampleEntry } from './sample.ts'

test('entries are written however they come: one by one, in pairs, and after a pause without any', async () => {
  const folder = tempFolder('log')
  const { host, clock } = testHost('observer')
  const writer = new LogWriter(new RotatingFile(folder, { maxBytes: 1 << 20, rotations: 1 }, clock), host.log, clock)
  opened(() => writer.close())
  const ids = ['a', 'b', 'c', 'd', 'e']
  for (const together of [['a'], ['b'], ['c', 'd'], ['e']]) {
    for (const id of together) writer.add(sampleEntry(id, clock.now()))
    await writer.flush()
    await writer.flush()
  }
  const lines = readFileSync(join(folder, 'requests.jsonl'), 'utf8').trimEnd().split('\n')
  assert.equal(
    lines.map(line => JSON.parse(line).request_id),
    ids,
  )
  assert.is(writer.dropped, 0)
})

test.run()
