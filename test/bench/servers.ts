// One of the servers that the gateway is measured against, in a process of its own: `servers.ts floor|proxy|upstream [port]`.
import { createHash } from 'node:crypto'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AT_ONCE, answerOf, eventsOf } from './bodies.ts'

const [, , role, upstreamPort] = process.argv

async function read(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** The least that any cache has to do: read, parse, hash, find, write. */
const stored = new Map<string, string>()
async function floor(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const bytes = await read(req)
  JSON.parse(bytes.toString('utf8'))
  const key = createHash('sha256').update(bytes).digest('base64')
  const answer = stored.get(key) ?? answerOf(0)
  stored.set(key, answer)
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
  res.end(answer)
}

/** The least that any gateway has to do on a miss: pipe there and back over connections that stay open. */
const agent = new Agent({ keepAlive: true, maxSockets: 256 })
function proxy(req: IncomingMessage, res: ServerResponse): void {
  const { method, headers, url: path } = req
  const onward = request({ agent, host: '127.0.0.1', port: Number(upstreamPort), method, headers, path }, answer => {
    res.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(res)
  })
  req.pipe(onward)
}

/** The head of a body. To put a large one together would keep others waiting, and the measure is of another server. */
async function readHead(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of req) if (chunks.length < HEAD_CHUNKS) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
const HEAD_CHUNKS = 8

let answered = 0
async function upstream(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const bytes = await readHead(req)
  const streamed = bytes.includes('"stream":true')
  if (streamed) {
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    const events = eventsOf(answered++)
    if (bytes.includes(AT_ONCE)) res.end(events.join(''))
    else await pieceByPiece(events, res)
  } else {
    const answer = answerOf(answered++)
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    res.end(answer)
  }
}

/** As a model speaks: each event is written by itself. */
async function pieceByPiece(events: readonly string[], res: ServerResponse): Promise<void> {
  for (const event of events) {
    res.write(event)
    await nextTurn()
  }
  res.end()
}

const handler = { floor, proxy, upstream }[role ?? '']
if (!handler) throw new Error(`no server is called ${role}`)
const server = createServer((req, res) => void handler(req, res))
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
