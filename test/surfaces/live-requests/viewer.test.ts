import type { LiveRequest } from 'deflector/facets/live-requests'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Viewer } from '../../../surfaces/live-requests/viewer.ts'

const request = (id: string): LiveRequest => ({
  id,
  time: '2026-01-01T00:00:00.000Z',
  layer: 'l1a',
  status: 200,
  ms: 1,
  model: null,
  provider: null,
  client: 'direct',
  tool: 'curl',
  key: null,
  tags: [],
  error: null,
  saved: 1,
  cost_usd: null,
  saved_cost_usd: null,
  skipped: 0,
})

test('a viewer who does not read keeps the newest events, and is told how many it missed', async () => {
  const written: string[] = []
  let take = (): void => {}
  let slow = true
  const viewer = new Viewer({
    write(text) {
      written.push(text)
      return slow
        ? new Promise<void>(resolve => {
            take = resolve
          })
        : undefined
    },
    end() {},
  })
  for (let i = 0; i < 300; i++) viewer.show(request(`${i}`))
  assert.is(written.length, 1)
  slow = false
  take()
  await new Promise(resolve => setImmediate(resolve))
  const ids = written.join('').match(/(?<=^id: )\d+$/gm)
  assert.equal([ids?.length, ids?.at(0), ids?.at(1), ids?.at(-1)], [257, '0', '44', '299'])
  assert.match(written[1] ?? '', /^event: dropped\ndata: \{"count":43\}\n\nid: 44\nevent: request\ndata: \{/)
})

test.run()
