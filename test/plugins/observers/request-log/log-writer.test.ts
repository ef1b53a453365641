import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
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

test('a request that ends while others become lines has its own two turns, so that its cost is in its line', async () => {
  const folder = tempFolder('log')
  const { host, clock } = testHost('observer')
  const writer = new LogWriter(new RotatingFile(folder, { maxBytes: 1 << 20, rotations: 1 }, clock), host.log, clock)
  opened(() => writer.close())
  let cost: number | null = null
  const reply = () => ({ status: 200, headers: {}, body: [], cut: false, ended: true })
  const first = sampleEntry('a', clock.now())
  const { record, ...second } = sampleEntry('b', clock.now())
  const booked = {
    ...record,
    get cost_usd() {
      return cost
    },
  }
  writer.add({ ...first, reply })
  await nextTurn()
  writer.add({ ...second, record: booked, reply })
  await nextTurn()
  await nextTurn()
  cost = 0.25
  await writer.flush()
  const lines = readFileSync(join(folder, 'requests.jsonl'), 'utf8').trimEnd().split('\n')
  assert.equal(
    lines.map(line => JSON.parse(line).cost_usd),
    [null, 0.25],
  )
})

test('at the end a disk that refused is tried once more, and what it does not take is counted', async () => {
  const folder = tempFolder('log')
  const { host, clock } = testHost('observer')
  const blocked = join(folder, 'below')
  writeFileSync(blocked, 'a file where the folder should be')
  const [one, two] = [0, 1].map(() => {
    const file = new RotatingFile(blocked, { maxBytes: 1 << 20, rotations: 1 }, clock)
    return new LogWriter(file, host.log, clock)
  })
  if (!one || !two) throw new Error('there are two')
  for (const writer of [one, two]) {
    writer.add(sampleEntry('lost', clock.now()))
    await writer.flush()
    writer.add(sampleEntry('last', clock.now()))
  }
  await one.close()
  assert.is(one.dropped, 2)
  rmSync(blocked)
  await two.close()
  assert.is(two.dropped, 1)
  assert.match(readFileSync(join(blocked, 'requests.jsonl'), 'utf8'), /^[^\n]*"request_id":"last"[^\n]*\n$/)
})

test.run()
