// `npm run bench:abort`: how long after a client has left its vendor's socket is closed, for every chat surface, whole and
// streamed. The gateway is the built one in a process of its own; each request is left at a random time of its moment.
import { type ClientRequest, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Reply, startVendor, type VendorCall } from '../contracts/vendor.ts'
import { SURFACES, type Surface } from '../faults/surfaces.ts'
import { startGateway } from './gateway.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const rounds = Number(process.env.BENCH_ROUNDS ?? 25)
const LONG = 'one word after the other '.repeat(200)
/** Milliseconds after which a vendor would have been called for certain. */
const SETTLED = 200

interface Moment {
  readonly name: string
  readonly streamed: readonly boolean[]
  readonly reply: Reply
  /** The client leaves at a random time before this, in milliseconds after its request. */
  readonly within: number
  /** Two clients ask the same, and leave one after the other. */
  readonly twin?: true
  /** The vendor has answered, so that there is no socket to close; what counts is that it is not asked again. */
  readonly answered?: true
}

const MOMENTS: readonly Moment[] = [
  { name: 'before the head', streamed: [false, true], reply: { silent: true }, within: 100 },
  { name: 'before the body', streamed: [false, true], reply: { stall: true }, within: 100 },
  {
    name: 'while it thinks',
    streamed: [true],
    reply: { reasoning: LONG, text: 'done', frameDelayMs: 5 },
    within: 300,
  },
  { name: 'in the middle of a stream', streamed: [true], reply: { text: LONG, frameDelayMs: 2 }, within: 300 },
  { name: 'between two pieces', streamed: [true], reply: { text: LONG, frameDelayMs: 2000 }, within: 1000 },
  { name: 'joined by a twin', streamed: [false, true], reply: { silent: true }, within: 100, twin: true },
  {
    name: 'while a retry is waited for',
    streamed: [false, true],
    reply: { status: 429, headers: { 'retry-after': '1' } },
    within: 500,
    answered: true,
  },
]

const vendor = await startVendor()
const gateway = await startGateway(root, { name: 'abort', env: { SERVICE__CACHE_MODE: 'exact' } }, vendor.port)
let question = 0

function ask(surface: Surface, text: string, stream: boolean): ClientRequest {
  const { path, body } = surface.request(text, stream)
  const sent = request({
    port: gateway.port,
    host: '127.0.0.1',
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  })
  sent.on('error', () => {})
  sent.on('response', response => response.on('error', () => {}).resume())
  sent.end(JSON.stringify(body))
  return sent
}

interface Left {
  /** Milliseconds until the vendor's socket was closed; `undefined` where it was not asked. */
  readonly delay?: number
  /** Calls after the client had left. */
  readonly further: number
}

async function leave(surface: Surface, { reply, within, twin, answered }: Moment, stream: boolean): Promise<Left> {
  vendor.clear()
  vendor.script(() => reply)
  const text = `question ${question++}`
  const clients = [ask(surface, text, stream), ...(twin ? [ask(surface, text, stream)] : [])]
  await vendor.arrived(1)
  await pause(Math.random() * within)
  for (const [at, client] of clients.entries()) {
    if (at > 0) await pause(Math.random() * 20)
    client.destroy()
  }
  const left = performance.now()
  const before = vendor.calls.length
  const closed = async (call: VendorCall): Promise<number> => {
    await call.aborted
    return performance.now() - left
  }
  const delays = answered ? [] : await Promise.all(vendor.calls.map(closed))
  if (answered) await pause(SETTLED + 1200)
  const further = vendor.calls.length - before
  return delays.length > 0 ? { delay: Math.max(...delays), further } : { further }
}

const at = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1)

try {
  const all: number[] = []
  process.stdout.write('| surface | left | answer | requests | p50 ms | p99 ms | longest ms | calls afterwards |\n')
  process.stdout.write('|---|---|---|---|---|---|---|---|\n')
  const row = (cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`)
  for (const surface of SURFACES)
    for (const moment of MOMENTS)
      for (const stream of moment.streamed) {
        const seen: Left[] = []
        for (let round = 0; round < (moment.answered ? 3 : rounds); round++)
          seen.push(await leave(surface, moment, stream))
        const delays = seen.flatMap(({ delay }) => delay ?? []).toSorted((a, b) => a - b)
        all.push(...delays)
        const times = moment.answered ? ['-', '-', '-'] : [at(delays, 0.5), at(delays, 0.99), at(delays, 1)]
        const further = seen.reduce((sum, one) => sum + one.further, 0)
        row([surface.name, moment.name, stream ? 'streamed' : 'whole', seen.length, ...times, further])
      }
  all.sort((a, b) => a - b)
  row(['all', '', '', all.length, at(all, 0.5), at(all, 0.99), at(all, 1), ''])
} finally {
  await gateway.stop()
  await vendor.close()
}
