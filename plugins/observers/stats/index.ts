import { defineObserver } from 'deflector'
import { flowTraffic } from 'deflector/facets/flow-traffic'
import { traceName } from 'deflector/facets/trace-name'
import { trafficStats } from 'deflector/facets/traffic-stats'
import { callCount, recordAttempt } from 'deflector/formats/attempt-records'
import { digestAtHand } from 'deflector/formats/body-digest'
import { cacheEvents } from 'deflector/formats/cache-lookups'
import { isCounted } from 'deflector/formats/counted-request'
import { exchangeRecord } from 'deflector/formats/exchange-record'
import { z } from 'zod'
import { Traffic } from './traffic.ts'
import { Ways } from './ways.ts'

/** Characters of a prompt's hash: 96 bits, from which nobody gets the text back. */
const HASH_LENGTH = 16

/** Counts requests by layer, client, tool and way through the pipeline, and keeps the last ones without their text. */
export default defineObserver({
  name: 'stats',
  summary: 'counts requests by layer, client, tool and way through the pipeline, since the start',
  options: z.strictObject({}),
  apply(host) {
    const { hooks, name, clock } = host
    const traffic = host.keep(`stats:${name}`, () => new Traffic())
    host.offer(trafficStats, traffic)
    const ways = host.keep(`stats-ways:${name}`, () => new Ways(clock.now()))
    host.offer(flowTraffic, ways)
    let names: ReadonlyMap<string, string> = new Map()
    host.onReady(() => {
      names = new Map(host.offers(traceName, 'layer'))
    })
    hooks.attempted.tap(name, (exchange, attempt, outcome) => {
      recordAttempt(exchange, attempt, outcome)
      ways.addCall(exchange, attempt, outcome)
    })
    hooks.finish.tap(name, exchange => {
      ways.add(exchange)
      if (exchange.kind !== 'chat') return
      const record = exchangeRecord(exchange, clock.now())
      traffic.add(record, {
        events: cacheEvents(record, names),
        calls: callCount(exchange),
        promptHash: digestAtHand(exchange)?.slice(0, HASH_LENGTH) ?? null,
        counted: isCounted(exchange),
      })
    })
  },
})
