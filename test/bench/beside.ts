import { Agent, request } from 'node:http'
import { promptBody } from './bodies.ts'
import { type Measured, openLoad } from './load.ts'

const CHAT = '/v1/chat/completions'
const TURNS = 2500
/** About 4 KB, so that all turns are 10 MB. */
const TURN = 'The quick brown fox jumps over the lazy dog. '.repeat(93)
/** Small requests a second, half of them hits. */
const RATE = 100
/** Stands in each large body, where the next one is numbered. */
const NUMBER = '#00000000'

const history = <T>(turn: (user: boolean, text: string) => T): T[] =>
  Array.from({ length: TURNS }, (_, at) => turn(at % 2 === 0, `${at === 0 ? NUMBER : at} ${TURN}`)).slice(0, -1)

/** One string of the same size, with a character in it that is written as an escape. */
const STRING = `${NUMBER} ${'A text\n'.repeat(1_480_000)}`

/** Long histories of 10 MB, in each dialect, and one string. */
const LARGE: Readonly<Record<string, { readonly path: string; readonly body: () => object }>> = {
  'chat-completions': {
    path: CHAT,
    body: () => ({
      model: 'm',
      messages: history((user, content) => ({ role: user ? 'user' : 'assistant', content })),
    }),
  },
  messages: {
    path: '/v1/messages',
    body: () => ({
      model: 'm',
      max_tokens: 9,
      messages: history((user, content) => ({ role: user ? 'user' : 'assistant', content })),
    }),
  },
  responses: {
    path: '/v1/responses',
    body: () => ({
      model: 'm',
      store: false,
      input: history((user, content) => ({ role: user ? 'user' : 'assistant', content })),
    }),
  },
  'generate-content': {
    path: '/v1beta/models/m:generateContent',
    body: () => ({ contents: history((user, text) => ({ role: user ? 'user' : 'model', parts: [{ text }] })) }),
  },
  'messages in one string': {
    path: '/v1/messages',
    body: () => ({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: STRING }] }),
  },
}

const agent = new Agent({ keepAlive: true })

function send(port: number, path: string, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, reply => {
      if (reply.statusCode !== 200) reject(new Error(`${path} answered ${reply.statusCode}`))
      reply.on('end', resolve).resume()
    })
      .on('error', reject)
      .end(body)
  })
}

let small = 0

/** Hits and misses of a kilobyte, at a steady rate. */
async function smallOnes(port: number, ms: number): Promise<readonly [hits: Measured, misses: Measured]> {
  const each = { port, path: CHAT, rate: RATE / 2, ms }
  return Promise.all([
    openLoad({ ...each, body: () => promptBody(1024, -1) }),
    openLoad({ ...each, body: () => promptBody(1024, small++) }),
  ])
}

/**
 * How long small requests wait for their first byte while one body of 10 MB after the other is sent: a table. Its last
 * column has such bodies alone, by processor time, which says the same on a busy machine.
 */
export async function besideLarge(
  port: number,
  ms: number,
  longestTurn: (work: () => Promise<void>) => Promise<number>,
): Promise<void> {
  process.stdout.write(
    '| beside | large ones | hits p50 ms | p99 | longest | misses p50 ms | p99 | longest | longest turn, processor ms |\n',
  )
  process.stdout.write('|---|---|---|---|---|---|---|---|---|\n')
  const row = (name: string, count: number, measured: readonly [Measured, Measured], turn = Number.NaN): void => {
    const times = [...measured.flatMap(({ firstByte: { p50, p99, max } }) => [p50, p99, max]), turn]
    process.stdout.write(`| ${[name, count, ...times.map(time => time.toFixed(1))].join(' | ')} |\n`)
  }
  await smallOnes(port, 500)
  row('nothing', 0, await smallOnes(port, ms))
  let fresh = 1
  for (const [name, { path, body }] of Object.entries(LARGE)) {
    const bytes = Buffer.from(JSON.stringify(body()))
    const at = bytes.indexOf(NUMBER) + 1
    for (const again of [false, true]) {
      let over = false
      let count = 0
      const one = async (): Promise<void> => {
        if (!again || count === 0) bytes.write(String(fresh++).padStart(NUMBER.length - 1, '0'), at, 'latin1')
        await send(port, path, bytes)
        count++
      }
      const large = async (): Promise<void> => {
        do await one()
        while (!over)
      }
      const sending = large()
      const measured = await smallOnes(port, ms)
      over = true
      await sending
      const sent = count
      const turn = await longestTurn(one)
      row(
        `${(bytes.length / 1e6).toFixed(1)} MB of ${name}, ${again ? 'the same again' : 'each new'}`,
        sent,
        measured,
        turn,
      )
    }
  }
  agent.destroy()
}
