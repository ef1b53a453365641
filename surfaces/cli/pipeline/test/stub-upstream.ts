import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Dialect, dialectOf, type Facts, SentBody } from './dialects.ts'
import type { Reply } from './section.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** One call as it came to a stub upstream. */
export interface Sent {
  readonly provider: string
  /** Below the instance's own prefix: `/v1/chat/completions`. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: unknown
}

export type Replies = Readonly<Record<string, Reply | readonly Reply[]>>

/**
 * A real upstream on loopback for every provider at once: `/<instance>/v1/...`. Each call is answered as the step that
 * runs has it, in the dialect of its path.
 */
export class StubUpstream {
  readonly sent: Sent[] = []
  readonly #server: Server
  readonly #clock: VirtualClock
  readonly #taken = new Map<string, number>()
  #replies: Replies = {}
  #total = 0

  private constructor(clock: VirtualClock) {
    this.#clock = clock
    this.#server = createServer((request, response) => {
      this.#take(request, response).catch(() => response.destroy())
    })
  }

  static async start(clock: VirtualClock): Promise<StubUpstream> {
    const stub = new StubUpstream(clock)
    await new Promise<void>(resolve => stub.#server.listen(0, '127.0.0.1', resolve))
    return stub
  }

  /** The base URL to give a provider instance. */
  url(instance: string): string {
    const address = this.#server.address() as AddressInfo // it listens on TCP, so there is one
    return `http://127.0.0.1:${address.port}/${encodeURIComponent(instance)}/v1`
  }

  /** A new step: its replies, and no call yet. */
  begin(replies: Replies): void {
    this.#replies = replies
    this.#taken.clear()
    this.sent.length = 0
  }

  close(): Promise<void> {
    this.#server.closeAllConnections()
    return new Promise(resolve => this.#server.close(() => resolve()))
  }

  #next(provider: string): Reply {
    const given = this.#replies[provider]
    const taken = this.#taken.get(provider) ?? 0
    this.#taken.set(provider, taken + 1)
    const list = given === undefined ? [] : [given].flat()
    return list[Math.min(taken, list.length - 1)] ?? { text: `an answer of ${provider}` }
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#clock.stir()
    const [, provider = '', path = '/'] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? '') ?? []
    const raw = await readAll(request)
    const name = decodeURIComponent(provider)
    const dialect = dialectOf(path.split('?')[0] ?? '')
    if (!dialect) return void response.writeHead(404).end()
    const body = parsed(raw)
    this.sent.push({ provider: name, path, headers: request.headers, body })
    const reply = this.#next(name)
    if (reply.delay_ms !== undefined) await this.#clock.sleep(reply.delay_ms)
    this.#clock.stir()
    if (reply.die_after === 0) return void response.destroy()
    const { model, stream, stream_options } = SentBody.parse(typeof body === 'object' && body !== null ? body : {})
    this.#total += 1
    const facts = { number: this.#total, model, wantsUsage: stream_options?.include_usage === true }
    await write(response, reply, dialect, facts, stream)
    this.#clock.stir()
  }
}

async function write(
  response: ServerResponse,
  reply: Reply,
  dialect: Dialect,
  facts: Facts,
  stream: boolean,
): Promise<void> {
  const status = reply.status ?? 200
  if (reply.sse !== undefined || (stream && status < 400 && reply.body === undefined)) {
    const events = reply.sse?.map(event) ?? dialect.stream(reply, facts)
    response.writeHead(status, { 'content-type': 'text/event-stream', ...reply.headers })
    for (const piece of events.slice(0, reply.die_after ?? events.length)) {
      if (!response.write(piece)) await new Promise(resolve => response.once('drain', resolve).once('close', resolve))
    }
    // The bytes written so far must be on their way before the line breaks.
    if (reply.die_after === undefined) response.end()
    else setImmediate(() => response.destroy())
    return
  }
  const body = reply.body ?? (status >= 400 ? dialect.error(status) : dialect.whole(reply, facts))
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (reply.die_after === undefined) {
    response.writeHead(status, { 'content-type': 'application/json', ...reply.headers }).end(text)
    return
  }
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': String(text.length),
    ...reply.headers,
  })
  response.write(text.slice(0, text.length >> 1), () => response.destroy())
}

const event = (given: unknown): string =>
  `data: ${typeof given === 'string' ? given : JSON.stringify(given)}\n\n`.replace(/^data: (?=event:)/, '')

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set, so chunks are buffers
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return raw
  }
}
