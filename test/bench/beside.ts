import { monitorEventLoopDelay } from 'node:perf_hooks'
import { promptBody } from './bodies.ts'
import { LARGE, type Shape } from './histories.ts'
import { LargeSender } from './large-sender.ts'
import { type Measured, openLoad } from './load.ts'

const CHAT = '/v1/chat/completions'
/** Small requests a second, half of them hits. */
const RATE = 100

interface Small {
  readonly hits: Measured
  readonly misses: Measured
  /** The longest time for which this process was kept from looking at the clock, in milliseconds. */
  readonly ownDelay: number
}

let fresh = 0

/** Hits and misses of a kilobyte, at a steady rate. */
async function smallOnes(port: number, ms: number): Promise<Small> {
  const loop = monitorEventLoopDelay({ resolution: 1 })
  loop.enable()
  const each = { port, path: CHAT, rate: RATE / 2, ms }
  const [hits, misses] = await Promise.all([
    openLoad({ ...each, body: () => promptBody(1024, -1) }),
    openLoad({ ...each, body: () => promptBody(1024, fresh++) }),
  ])
  loop.disable()
  return { hits, misses, ownDelay: loop.max / 1e6 }
}

export interface Beside {
  /** Ports of the gateway, and of a bare proxy to the same upstream. */
  readonly gateway: number
  readonly proxy: number
  /** Milliseconds for each row. */
  readonly ms: number
  /** Processor time of the gateway's longest turn while `work` is done. */
  readonly longestTurn: (work: () => Promise<void>) => Promise<number>
}

/**
 * How long small requests wait for their first byte while one body of 10 MB after the other is sent: a table. The bare
 * proxy's rows show what the machine itself adds. The last column has large bodies alone, by processor time, which says
 * the same on a busy machine.
 */
export async function besideLarge({ gateway, proxy, ms, longestTurn }: Beside): Promise<void> {
  const heads = ['hits p50 ms', 'p99', 'longest', 'misses p50 ms', 'p99', 'longest']
  line(['beside', 'large ones', ...heads, 'the load itself, longest', "the gateway's longest turn, processor ms"])
  line(Array(10).fill('---'))
  await smallOnes(gateway, 500)
  row('nothing', 0, await smallOnes(gateway, ms))
  row('nothing, a bare proxy', 0, await smallOnes(proxy, ms))
  const through = async (port: number, shape: Shape, again: boolean, name: string, turns: boolean): Promise<void> => {
    const sender = await LargeSender.open(port, shape, again)
    try {
      const [small, sent] = await sender.during(() => smallOnes(port, ms))
      const turn = turns ? await longestTurn(() => sender.one()) : Number.NaN
      row(`${(sender.size / 1e6).toFixed(1)} MB of ${shape}, ${name}`, sent, small, turn)
    } finally {
      sender.close()
    }
  }
  await through(proxy, 'chat-completions', false, 'a bare proxy', false)
  for (const shape of Object.keys(LARGE) as Shape[]) {
    await through(gateway, shape, false, 'each new', true)
    await through(gateway, shape, true, 'the same again', true)
  }
}

function row(name: string, count: number, { hits, misses, ownDelay }: Small, turn = Number.NaN): void {
  const times = [hits, misses].flatMap(({ firstByte: { p50, p99, max } }) => [p50, p99, max])
  line([name, count, ...[...times, ownDelay, turn].map(time => time.toFixed(1))])
}

const line = (cells: readonly (string | number)[]): void => void process.stdout.write(`| ${cells.join(' | ')} |\n`)
