import { connect, type Socket } from 'node:net'

export interface Load {
  readonly port: number
  readonly path: string
  readonly connections: number
  readonly ms: number
  /** The body of request number `n`; called once for each request. `undefined`: there are no more. */
  readonly body: (n: number) => string | undefined
  /** The head of each answer, beside the milliseconds that the answer took. */
  readonly seen?: (head: string, ms: number) => void
}

export interface Measured {
  readonly requests: number
  readonly perSecond: number
  /** Milliseconds from the request's first byte out to the answer's last byte in. */
  readonly latency: Percentiles
  /** Milliseconds to the first byte of the answer's body. */
  readonly firstByte: Percentiles
  /** Microseconds of processor time that the server took for a request. */
  readonly cpuUs?: number
}

interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/**
 * Closed-loop load over raw sockets: each connection sends its next request when the last answer is in. A full HTTP
 * client would cost more than the servers it measures; this one only finds where an answer ends.
 */
export async function load({ port, path, connections, ms, body, seen }: Load): Promise<Measured> {
  const latencies: number[] = []
  const firstBytes: number[] = []
  let sent = 0
  const began = performance.now()
  const until = began + ms
  const lane = async (): Promise<void> => {
    const socket = await connected(port)
    while (performance.now() < until) {
      const text = body(sent++)
      if (text === undefined) break
      const request = post(path, port, text)
      const start = performance.now()
      const { first, head } = await exchange(socket, request)
      const took = performance.now() - start
      latencies.push(took)
      firstBytes.push(first - start)
      seen?.(head, took)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, lane))
  const seconds = (performance.now() - began) / 1000
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    latency: percentiles(latencies),
    firstByte: percentiles(firstBytes),
  }
}

export interface OpenLoad extends Omit<Load, 'connections'> {
  /** Requests a second, whether answers come or not. */
  readonly rate: number
}

/**
 * Open-loop load: requests begin at fixed times, each on an idle connection or a new one. So a stall of the server counts
 * for all whom it keeps waiting. Latencies are from the time at which a request began: a late one is this process's fault.
 */
export async function openLoad({ port, path, rate, ms, body, seen }: OpenLoad): Promise<Measured> {
  const latencies: number[] = []
  const firstBytes: number[] = []
  const idle: Socket[] = []
  const under: Promise<void>[] = []
  const began = performance.now()
  const one = async (request: string): Promise<void> => {
    const start = performance.now()
    const socket = idle.pop() ?? (await connected(port))
    const { first, head } = await exchange(socket, request)
    const took = performance.now() - start
    latencies.push(took)
    firstBytes.push(first - start)
    seen?.(head, took)
    idle.push(socket)
  }
  for (let n = 0; n * 1000 < rate * ms; n++) {
    const due = began + (n * 1000) / rate
    const early = due - performance.now()
    if (early > 0) await new Promise(done => setTimeout(done, early))
    const text = body(n)
    if (text === undefined) break
    under.push(one(post(path, port, text)))
  }
  await Promise.all(under)
  for (const socket of idle) socket.destroy()
  const seconds = (performance.now() - began) / 1000
  return {
    requests: latencies.length,
    perSecond: latencies.length / seconds,
    latency: percentiles(latencies),
    firstByte: percentiles(firstBytes),
  }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  return socket
}

function post(path: string, port: number, body: string): string {
  const length = Buffer.byteLength(body)
  return `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${body}`
}

/** What came back: the time of the body's first byte, and the head. */
interface Exchanged {
  readonly first: number
  readonly head: string
}

/** Sends one request and reads one answer. Throws on any status but 200. */
function exchange(socket: Socket, request: string): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    let head: Buffer = Buffer.alloc(0)
    let left = -1
    let chunked = false
    let first = 0
    let tail = ''
    let text = ''
    const done = (error?: Error): void => {
      socket.off('data', read).off('close', closed)
      if (error) reject(error)
      else resolve({ first, head: text })
    }
    const closed = (): void => done(new Error('the server closed the connection'))
    const take = (bytes: Buffer): void => {
      if (bytes.length > 0 && first === 0) first = performance.now()
      if (chunked) {
        tail = (tail + bytes.toString('latin1')).slice(-7)
        if (tail.endsWith('0\r\n\r\n')) done()
      } else {
        left -= bytes.length
        if (left <= 0) done()
      }
    }
    const read = (bytes: Buffer): void => {
      if (left >= 0 || chunked) {
        take(bytes)
        return
      }
      head = head.length > 0 ? Buffer.concat([head, bytes]) : bytes
      const end = head.indexOf('\r\n\r\n')
      if (end < 0) return
      text = head.toString('latin1', 0, end)
      if (!text.startsWith('HTTP/1.1 200')) {
        done(new Error(`unexpected answer: ${text.slice(0, 60)}`))
        return
      }
      chunked = /transfer-encoding: chunked/i.test(text)
      left = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      take(head.subarray(end + 4))
    }
    socket.on('data', read).on('close', closed)
    socket.write(request)
  })
}

function percentiles(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
