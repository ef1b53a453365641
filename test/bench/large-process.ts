// Sends bodies of 10 MB, in a process of its own: `large-process.ts PORT SHAPE new|again FROM`.
// It says the body's size when it is ready. `start` sends one body after the other until `stop`, `one` sends one; both are
// answered with how many were sent. With `again` the same body is sent each time.
import { Agent, request } from 'node:http'
import { z } from 'zod'
import { LARGE, NUMBER, type Shape } from './histories.ts'

const [port, shape, kind, from] = z
  .tuple([z.coerce.number(), z.string(), z.enum(['new', 'again']), z.coerce.number()])
  .parse(process.argv.slice(2))

const { path, body } = LARGE[shape as Shape]
const bytes = Buffer.from(JSON.stringify(body()))
const at = bytes.indexOf(NUMBER) + 1
const agent = new Agent({ keepAlive: true })

function send(): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length }
    request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, reply => {
      if (reply.statusCode !== 200) reject(new Error(`${path} answered ${reply.statusCode}`))
      reply.on('end', resolve).resume()
    })
      .on('error', reject)
      .end(bytes)
  })
}

let sent = 0
async function one(): Promise<void> {
  if (kind === 'new' || sent === 0) bytes.write(String(from + sent).padStart(NUMBER.length - 1, '0'), at, 'latin1')
  await send()
  sent++
}

let over = false
async function untilStopped(): Promise<void> {
  const before = sent
  over = false
  do await one()
  while (!over)
  process.send?.(sent - before)
}

process.on('message', async asked => {
  if (asked === 'stop') over = true
  else if (asked === 'start') await untilStopped()
  else {
    await one()
    process.send?.(1)
  }
})
process.on('disconnect', () => process.exit())
process.send?.(bytes.length)
