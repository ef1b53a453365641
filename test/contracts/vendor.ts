import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { DIALECTS, type Sample, type WireDialect } from './vendor-wire.ts'

export type { Facts, Sample, WireDialect } from './vendor-wire.ts'

/** What the vendor does with one call. Without anything it answers with a text that no other call gets. */
export interface Reply extends Sample {
  /** Default 200; with a status of 400 or more and no `json`, an error body in the dialect is sent. */
  readonly status?: number | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** This very body, whether the call streams or not. */
  readonly json?: unknown
  /** This very text as the body, under the content type of JSON. */
  readonly raw?: string
  /** These very chunks as an event stream, whether the call streams or not. A chunk may wait before it goes out. */
  readonly sse?: readonly (string | { readonly data: string; readonly delayMs: number })[]
  /** A body that is no JSON, with status 200. */
  readonly garbage?: boolean | string
  /** Answers a streamed call with JSON, or another with an event stream. */
  readonly contrary?: boolean
  /** Milliseconds before the head goes out. */
  readonly delayMs?: number
  /** The head goes out only after this. */
  readonly after?: Promise<unknown>
  /** Milliseconds between two frames of a stream. */
  readonly frameDelayMs?: number
  /** The body goes out in pieces of so many bytes, each in a write of its own. */
  readonly splitEvery?: number
  readonly encoding?: 'gzip' | 'br' | 'deflate'
  /** The socket is destroyed after so many frames of the stream; a whole answer is cut in the middle. */
  readonly dieAfter?: number
  /** The stream ends politely after so many frames, without its terminator. */
  readonly endAfter?: number
  /** Nothing more comes after so many frames; the socket stays open. */
  readonly stallAfter?: number
  /** The head, then nothing. */
  readonly stall?: boolean
  /** Nothing at all, not even a head. */
  readonly silent?: boolean
  /** The socket is destroyed before the head. */
  readonly reset?: boolean
}

/** Lines that the stub cut itself. */
const killed = new WeakSet<ServerResponse>()

export type Script = Reply | ((call: VendorCall) => Reply | undefined)

/** One call as the vendor saw it. */
export interface VendorCall {
  readonly method: string
  /** With the query, as it was asked for. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** The parsed body; `undefined` when it is no JSON. */
  readonly body: Record<string, unknown> | undefined
  readonly raw: Buffer
  /** Milliseconds since 1970. */
  readonly at: number
  /** The caller's port: the same for two calls over one connection. */
  readonly callerPort: number | undefined
  /** Resolves when the reply is over: true when the caller closed the line before the vendor had finished. */
  readonly aborted: Promise<boolean>
  /** When the reply was over, in milliseconds since 1970. */
  closedAt: number | undefined
}

export interface Vendor {
  /** Base URL with `/v1`. */
  readonly url: string
  readonly port: number
  readonly calls: readonly VendorCall[]
  /** Queues replies, one for each call. A function answers its own call and every one after it. */
  script(...replies: readonly Script[]): void
  /** Resolves when `count` calls have arrived in all. */
  arrived(count: number): Promise<void>
  /** Forgets calls and script. */
  clear(): void
  close(): Promise<void>
}

export interface VendorOptions {
  /** What it speaks beside chat-completions and messages, by how the path of a call ends. */
  readonly dialects?: Readonly<Record<string, WireDialect>>
  /** How it waits; by default in real time. */
  readonly pause?: (ms: number) => Promise<void>
  /** Called at each step of a call, for a clock that moves on only while nothing happens. */
  readonly busy?: () => void
}

/** On a path without a dialect the vendor sends only what its script says, word for word. */
const SCRIPTED: WireDialect = {
  whole: () => ({}),
  stream: () => [],
  error: status => ({ error: { message: `the stub says ${status}` } }),
}

/**
 * A vendor over HTTP on a free port of this machine. It answers in the dialect of the path it is asked at, whole or
 * streamed, and fails and waits as its script says.
 *
 * ```ts
 * const vendor = await startVendor()
 * vendor.script({ text: 'hello' }, { status: 429 }, { dieAfter: 2 })
 * ```
 */
export async function startVendor({
  dialects,
  pause = realPause,
  busy = () => {},
}: VendorOptions = {}): Promise<Vendor> {
  const spoken = [...Object.entries(dialects ?? {}), ...Object.entries(DIALECTS)]
  const calls: VendorCall[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  let script: Script[] = []
  let counter = 0

  const next = (call: VendorCall): Reply => {
    const head = script[0]
    if (head === undefined) return {}
    if (typeof head === 'function') return head(call) ?? {}
    script.shift()
    return head
  }

  const server = createServer(async (request, response) => {
    busy()
    try {
      const call = await record(request, response)
      calls.push(call)
      for (const wait of waiting) if (calls.length >= wait.count) wait.resolve()
      const path = new URL(call.path, 'http://stub').pathname
      if (call.method === 'GET' && path.endsWith('/models') && script.length === 0) {
        return sendJson(response, 200, {
          object: 'list',
          data: [{ id: 'stub-model', object: 'model', created: 0, owned_by: 'stub' }],
        })
      }
      const dialect =
        spoken.find(([ending]) => path.endsWith(ending))?.[1] ?? (script.length > 0 ? SCRIPTED : undefined)
      if (!dialect)
        return sendJson(response, 404, {
          error: { message: `no route ${path}`, type: 'invalid_request_error', code: null, param: null },
        })
      counter++
      await answer(response, dialect, call, next(call), {
        text: `answer ${counter} of ${port}`,
        number: counter,
        pause,
        busy,
      })
      busy()
    } catch {
      response.destroy() // the caller left in mid-sentence
    }
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    calls,
    script: (...replies) => {
      script = [...script, ...replies]
    },
    arrived: count =>
      new Promise(resolve => {
        if (calls.length >= count) resolve()
        else waiting.push({ count, resolve })
      }),
    clear: () => {
      calls.length = 0
      script = []
    },
    close: () =>
      new Promise<void>(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function record(request: IncomingMessage, response: ServerResponse): Promise<VendorCall> {
  const chunks: Buffer[] = []
  const at = Date.now()
  // `close` of the response says that the line is gone; it counts as an abort unless all was handed over before.
  const aborted = new Promise<boolean>(resolve => {
    response.once('close', () => {
      call.closedAt = Date.now()
      resolve(!response.writableFinished && !killed.has(response))
    })
  })
  const call: { -readonly [K in keyof VendorCall]: VendorCall[K] } = {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: request.headers,
    body: undefined,
    raw: Buffer.alloc(0),
    at,
    callerPort: request.socket.remotePort,
    aborted,
    closedAt: undefined,
  }
  for await (const chunk of request) chunks.push(chunk as Buffer)
  call.raw = Buffer.concat(chunks)
  try {
    call.body = JSON.parse(call.raw.toString('utf8'))
  } catch {
    call.body = undefined
  }
  return call
}

interface Turn extends Required<Pick<VendorOptions, 'pause' | 'busy'>> {
  /** Said where the script has no text. */
  readonly text: string
  readonly number: number
}

async function answer(
  response: ServerResponse,
  dialect: WireDialect,
  call: VendorCall,
  reply: Reply,
  { text, number, pause, busy }: Turn,
): Promise<void> {
  if (reply.silent) return
  if (reply.delayMs) await pause(reply.delayMs)
  await reply.after
  busy()
  if (reply.reset) return kill(response)
  const status = reply.status ?? 200
  if (reply.garbage) {
    const body = reply.garbage === true ? '<html><body>It works!</body></html>' : reply.garbage
    return write(response, reply, { status, type: 'text/html', frames: [body], pause })
  }
  const stream = (frames: Frames): Promise<void> =>
    write(response, reply, { status, type: 'text/event-stream', frames, pause })
  const whole = (body: string): Promise<void> =>
    reply.dieAfter === undefined
      ? write(response, reply, { status, type: 'application/json', frames: [body], pause })
      : writeHalf(response, reply, status, body)
  if (reply.raw !== undefined) return whole(reply.raw)
  if (reply.json !== undefined) return whole(JSON.stringify(reply.json))
  if (reply.sse) return stream(reply.sse)
  if (status >= 400) return whole(JSON.stringify(dialect.error(status)))

  const sample = { text: reply.toolCalls ? '' : text, ...reply }
  const asked = dialect.asked?.(new URL(call.path, 'http://stub').pathname)
  const model = asked?.model ?? call.body?.model
  const facts = { number, model: typeof model === 'string' ? model : 'stub-model', body: call.body ?? {} }
  const wantsStream = asked?.stream ?? call.body?.stream === true
  const streams = wantsStream !== (reply.contrary === true)
  if (streams) return stream(dialect.stream(sample, facts))
  return whole(JSON.stringify(dialect.whole(sample, facts)))
}

type Frames = NonNullable<Reply['sse']>

interface Written extends Required<Pick<VendorOptions, 'pause'>> {
  readonly status: number
  readonly type: string
  readonly frames: Frames
}

async function write(response: ServerResponse, reply: Reply, { status, type, frames, pause }: Written): Promise<void> {
  response.writeHead(status, {
    'content-type': type,
    ...(reply.encoding && { 'content-encoding': reply.encoding }),
    ...reply.headers,
  })
  response.flushHeaders()
  if (reply.stall) return
  response.socket?.setNoDelay(true)
  const bytesOf = (text: string): Buffer => compress(Buffer.from(text), reply.encoding)
  // A compressed stream is one piece of work: its frames cannot be compressed one by one.
  const parts = reply.encoding
    ? [frames.map(frame => (typeof frame === 'string' ? frame : frame.data)).join('')]
    : frames
  for (const [index, frame] of parts.entries()) {
    if (index === reply.stallAfter) return
    if (index === reply.dieAfter) return kill(response)
    if (index === reply.endAfter) break
    const delay = typeof frame === 'string' ? reply.frameDelayMs : frame.delayMs
    if (delay && index > 0) await pause(delay)
    if (response.destroyed) return
    const bytes = bytesOf(typeof frame === 'string' ? frame : frame.data)
    // What was written leaves before the line dies.
    if (reply.dieAfter !== undefined) await handedOver(response, bytes)
    else await writeSplit(response, bytes, reply.splitEvery)
  }
  if (reply.dieAfter !== undefined) kill(response)
  else response.end()
}

/** A whole answer of which the second half never comes. */
async function writeHalf(response: ServerResponse, reply: Reply, status: number, body: string): Promise<void> {
  const bytes = Buffer.from(body)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...reply.headers,
  })
  await handedOver(response, bytes.subarray(0, bytes.length >> 1))
  kill(response)
}

const handedOver = (response: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise(resolve => response.write(bytes, () => resolve()))

async function writeSplit(response: ServerResponse, bytes: Buffer, every: number | undefined): Promise<void> {
  if (!every) {
    response.write(bytes)
    return
  }
  for (let at = 0; at < bytes.length; at += every) {
    response.write(bytes.subarray(at, at + every))
    await new Promise(resolve => setImmediate(resolve))
  }
}

function kill(response: ServerResponse): void {
  killed.add(response)
  response.socket?.destroy()
}

function compress(bytes: Buffer, encoding: Reply['encoding']): Buffer {
  switch (encoding) {
    case 'gzip':
      return gzipSync(bytes)
    case 'br':
      return brotliCompressSync(bytes)
    case 'deflate':
      return deflateSync(bytes)
    default:
      return bytes
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const realPause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
