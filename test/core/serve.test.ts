import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Call } from '../../core/call.ts'
import { Cancellation } from '../../core/cancellation.ts'
import type { LiveAnswer } from '../../core/chat/answer.ts'
import { endedBy } from '../../core/chat/answer.ts'
import type { ChatFormat } from '../../core/chat/format.ts'
import { liveAnswer } from '../../core/chat/live-answer.ts'
import type { Frame } from '../../core/chat/stream.ts'
import { Flow } from '../../core/flow.ts'
import { OpenExchange } from '../../core/open-exchange.ts'
import { serve } from '../../core/serve.ts'
import { Taps } from '../../core/taps.ts'
import { plainFormat } from '../contracts/plain-format.ts'

/** A dialect that cannot encode an answer. Its streams are not those of the vendor, so each event is encoded. */
const unwritable: ChatFormat = {
  ...plainFormat,
  name: 'unwritable',
  streamEncoder: () => ({
    push() {
      throw new TypeError('a bug of the encoder')
    },
  }),
}

/** A call without a socket, and what its client got. */
function callOf(body: object): { call: Call; got: string[]; cancellation: Cancellation } {
  const got: string[] = []
  const cancellation = new Cancellation()
  const call: Call = {
    id: 'r1',
    method: 'POST',
    path: '/',
    params: {},
    query: new URLSearchParams(),
    headers: {},
    remote: '',
    status: undefined,
    cancellation,
    get signal() {
      return cancellation.signal
    },
    headWaitMs: 10_000,
    body: async () => Buffer.from(JSON.stringify(body)),
    send: (status, _, text = '') => void got.push(`${status} ${text}`),
    open: () => ({ write: text => void got.push(text), end: () => void got.push('end') }),
  }
  return { call, got, cancellation }
}

const text = (said: string): Frame => ({ events: [{ type: 'text', text: said }], wire: `data: ${said}\n\n` })

test('an exchange is over, and its vendor let go, when the reply to a live answer fails midway', async () => {
  const { call, got, cancellation } = callOf({ prompt: 'hello', stream: true })
  const logged: string[] = []
  const log = { debug() {}, info() {}, warn() {}, error: (message: string) => void logged.push(message) }
  const flow = new Flow('chat', log)
  const taps = new Taps({ name: 'cloud', label: 'cloud', deflects: false, observes: false })
  const source = async function* (): AsyncGenerator<Frame> {
    yield text('a')
    await new Promise(() => {}) // a vendor that still has something to say
  }
  taps.hooks.answer.tapPromise(
    '',
    async (): Promise<LiveAnswer> => endedBy(liveAnswer({ format: 'plain', source: source() }), {}, cancellation),
  )
  const finished: (string | undefined)[] = []
  taps.hooks.finish.tap('', ({ failure }) => void finished.push(failure?.code))
  taps.replay(flow.hooks)
  const closed: Promise<void>[] = []
  await serve(call, unwritable, {
    flow,
    log,
    watch: { track: closing => void closed.push(closing), onCut: () => () => {} },
    open: read =>
      new OpenExchange({ id: 'r1', namespace: 'n', headers: {}, cancellation, read }, 'chat', 'chat', 'plain', 0),
  })
  assert.match(got.join(''), /"error":"internal"/)
  assert.is(got.at(-1), 'end')
  assert.equal(logged, ['a reply failed'])
  await Promise.race([...closed, nextTurn()])
  assert.equal(finished, ['internal'])
  assert.ok(cancellation.cancelled)
})

test.run()
