import { systemClock } from '../../../../core/clock.ts'
import { hostLog } from '../../../../core/host-log.ts'
import { Ledger } from '../../../../plugins/observers/usage/ledger.ts'
import { sampleEvent } from './sample.ts'

/** Books requests until it is killed, and prints the id of each one that it was told is written. */
const [folder = '', name = ''] = process.argv.slice(2)
const silent = () => {}
const log = hostLog({ debug: silent, info: silent, warn: silent, error: silent }, systemClock)
const ledger = new Ledger(systemClock, log, { folder, retentionDays: 30, saveBytes: 20_000 })
await ledger.start()
for (let round = 0; ; round++) {
  const ids = Array.from({ length: 1 + (round % 7) }, (_, i) => `${name}-${round}-${i}`)
  for (const id of ids) ledger.book(() => sampleEvent(id, systemClock.now(), { tags: ['x'.repeat(64)] }))
  await ledger.settled()
  process.stdout.write(`${ids.join('\n')}\n`)
}
