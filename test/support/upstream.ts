import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { opened } from './opened.ts'
import { type Dialect, dialectOf, type Sample } from './upstream-wire.ts'

/** What the vendor does with one call. Without anything it answers with a text that no other call gets. */
export interface Reply extends Sample {
  /** Default 200; with a status of 400 or more and no `json`, an error body in the dialect is sent. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** This very body, whether the call streams or not. */
  readonly json?: unknown
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
  /** The socket is destroyed after so many frames of the stream. */
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

export type Script = Reply | ((call: UpstreamCall) => Reply | undefined)

/** One call as the vendor saw it. */
interface UpstreamCall {
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

export interface Upstream {
  /** Base URL with `/v1`. */
  readonly url: string
  readonly port: number
  readonly calls: readonly UpstreamCall[]
  /** Queues replies, one for each call. A function answers its own call and every one after it. */
  script(...replies: readonly Script[]): void
  /** Resolves when `count` calls have arrived in all. */
  arrived(count: number): Promise<void>
  /** Forgets calls and script. */
  clear(): void
  close(): Promise<void>
}

/** On any other path the stub says only what it is told to, word for word. */
const UNSPOKEN: Dialect = {
  whole: () => ({}),
  stream: () => [],
  error: status => ({ error: { message: `the stub says ${status}` } }),
}

/** A vendor of chat-completions and messages on a free port of this machine, which fails in every way it is told to. */
export async function startUpstream(): Promise<Upstream> {
  const calls: UpstreamCall[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  let script: Script[] = []
  let counter = 0

  const next = (call: UpstreamCall): Reply => {
    const head = script[0]
    if (head === undefined) return {}
    if (typeof head === 'function') return head(call) ?? {}
    script.shift()
    return head
  }

  const server = createServer(async (request, response) => {
    try {
      const call = await record(request, response)
      calls.push(call)
      for (const wait of waiting) if (calls.length >= wait.count) wait.resolve()
      const path = new URL(call.path, 'http://stub').pathname
      if (call.method === 'GET' && path.endsWith('/models')) {
        return sendJson(response, 200, {
          object: 'list',
          data: [{ id: 'stub-model', object: 'model', created: 0, owned_by: 'stub' }],
        })
      }
      const dialect = dialectOf(path) ?? (script.length > 0 ? UNSPOKEN : undefined)
      if (!dialect)
        return sendJson(response, 404, {
          error: { message: `no route ${path}`, type: 'invalid_request_error', code: null, param: null },
        })
      counter++
      await answer(response, dialect, call, next(call), `answer ${counter} of ${port}`, counter)
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
    close: opened(
      () =>
        new Promise<void>(resolve => {
          server.close(() => resolve())
          server.closeAllConnections()
        }),
    ),
  }
}

async function record(request: IncomingMessage, response: ServerResponse): Promise<UpstreamCall> {
  const chunks: Buffer[] = []
  const at = Date.now()
  // `close` of the response says that the line is gone; it counts as an abort unless all was handed over before.
  const aborted = new Promise<boolean>(resolve => {
    response.once('close', () => {
      call.closedAt = Date.now()
      resolve(!response.writableFinished && !killed.has(response))
    })
  })
  const call: { -readonly [K in keyof UpstreamCall]: UpstreamCall[K] } = {
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

async function answer(
  response: ServerResponse,
  dialect: Dialect,
  call: UpstreamCall,
  reply: Reply,
  text: string,
  counter: number,
): Promise<void> {
  if (reply.silent) return
  if (reply.delayMs) await pause(reply.delayMs)
  await reply.after
  if (reply.reset) return kill(response)
  const status = reply.status ?? 200
  if (reply.garbage) {
    const body = reply.garbage === true ? '<html><body>It works!</body></html>' : reply.garbage
    return write(response, reply, status, 'text/html', [body])
  }
  if (reply.json !== undefined) return write(response, reply, status, 'application/json', [JSON.stringify(reply.json)])
  if (reply.sse) return write(response, reply, status, 'text/event-stream', reply.sse)
  if (status >= 400) return write(response, reply, status, 'application/json', [JSON.stringify(dialect.error(status))])

  const sample = { text: reply.toolCalls ? '' : text, ...reply }
  const facts = { number: counter, model: String(call.body?.model ?? ''), body: call.body ?? {} }
  const streams = (call.body?.stream === true) !== (reply.contrary === true)
  if (streams) return write(response, reply, status, 'text/event-stream', dialect.stream(sample, facts))
  return write(response, reply, status, 'application/json', [JSON.stringify(dialect.whole(sample, facts))])
}

async function write(
  response: ServerResponse,
  reply: Reply,
  status: number,
  type: string,
  frames: readonly (string | { readonly data: string; readonly delayMs: number })[],
): Promise<void> {
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
    if (index === reply.dieAfter) {
      await pause(5) // what was written should leave before the line dies
      return kill(response)
    }
    if (index === reply.endAfter) break
    const delay = typeof frame === 'string' ? reply.frameDelayMs : frame.delayMs
    if (delay && index > 0) await pause(delay)
    if (response.destroyed) return
    await writeSplit(response, bytesOf(typeof frame === 'string' ? frame : frame.data), reply.splitEvery)
  }
  response.end()
}

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

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
