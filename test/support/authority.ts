import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { opened } from './opened.ts'

/** One request to the authorization server: its path and the fields of its form or JSON. */
interface AuthorityCall {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** `json`, or bytes that are none. Held back until `until` resolves. */
interface AuthorityAnswer {
  readonly status?: number
  readonly json?: unknown
  readonly text?: string
  readonly until?: Promise<void>
}

export interface Authority {
  readonly url: string
  readonly calls: readonly AuthorityCall[]
  /** The next answers at a path, in order; the last one stays. */
  script(path: string, ...answers: readonly AuthorityAnswer[]): void
  close(): Promise<void>
}

/** An authorization server of this machine, closed with the test file. */
export async function startAuthority(): Promise<Authority> {
  const calls: AuthorityCall[] = []
  const scripts = new Map<string, AuthorityAnswer[]>()
  const server = createServer((request, response) => {
    void text(request).then(async body => {
      const path = request.url ?? ''
      const isForm = request.headers['content-type'] === 'application/x-www-form-urlencoded'
      calls.push({ path, body: isForm ? Object.fromEntries(new URLSearchParams(body)) : JSON.parse(body || '{}') })
      const answers = scripts.get(path) ?? []
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 404, json: {} }
      await answer.until
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
      response.end(answer.text ?? JSON.stringify(answer.json))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    script: (path, ...answers) => void scripts.set(path, [...answers]),
    close: opened(async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }),
  }
}
