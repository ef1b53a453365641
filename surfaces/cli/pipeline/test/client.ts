import { request } from 'node:http'
import type { Request } from './section.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A reply as a client sees it. */
export interface Received {
  readonly status: number
  /** Lower-case names; repeated ones joined with `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly raw: string
  /** The line broke before the reply was over. */
  readonly broken: boolean
}

/** Sends one request on a connection of its own and waits for all of the reply. */
export function send(port: number, given: Request, clock: VirtualClock, signal: AbortSignal): Promise<Received> {
  const body =
    given.body === undefined ? undefined : typeof given.body === 'string' ? given.body : JSON.stringify(given.body)
  const method = given.method ?? (body === undefined ? 'GET' : 'POST')
  const headers = { ...(body !== undefined && { 'content-type': 'application/json' }), ...given.headers }
  return new Promise((resolve, reject) => {
    const call = request(
      { host: '127.0.0.1', port, method, path: given.path, headers, agent: false, signal },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => {
          clock.stir()
          chunks.push(chunk)
        })
        const done = (broken: boolean): void => {
          clock.stir()
          const plain = Object.entries(response.headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')])
          resolve({
            status: response.statusCode ?? 0,
            headers: Object.fromEntries(plain),
            raw: Buffer.concat(chunks).toString('utf8'),
            broken,
          })
        }
        response.on('end', () => done(false))
        response.on('error', () => done(true))
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}
