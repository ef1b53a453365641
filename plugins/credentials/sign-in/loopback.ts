import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CredentialError } from '../credential.ts'

/** Where a browser comes back to after a sign-in (RFC 8252, 7.3). */
export interface Loopback {
  readonly redirectUri: string
  /** The authorization code. Rejects with `CredentialError` where the person or the server said no. */
  readonly code: Promise<string>
  close(): void
}

const PATH = '/oauth2callback'

/** Listens on a free port of this machine for the one request that has our `state`. */
export async function listenOnLoopback(state: string): Promise<Loopback> {
  const { promise: code, resolve, reject } = deferred<string>()
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://loopback')
    const say = (status: number, text: string): void => {
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(text)
    }
    // Any page may send a browser here; only the server that was asked knows the state.
    if (pathname !== PATH || searchParams.get('state') !== state)
      return say(404, 'This is not the page you look for.\n')
    const given = searchParams.get('code')
    if (given) resolve(given)
    else reject(new CredentialError('the sign-in was denied in the browser; nothing was stored'))
    say(200, given ? 'You are signed in. You may close this page.\n' : 'Nothing was stored. You may close this page.\n')
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', () => failed(new CredentialError('no port of this machine is free for the sign-in')))
    server.listen(0, '127.0.0.1', listening)
  })
  const { port } = server.address() as AddressInfo
  return { redirectUri: `http://127.0.0.1:${port}${PATH}`, code, close: () => void server.close() }
}

interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: Error): void
}

function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {}
  let reject: Deferred<T>['reject'] = () => {}
  const promise = new Promise<T>((fulfil, refuse) => {
    resolve = fulfil
    reject = refuse
  })
  promise.catch(() => {}) // it may be refused before it is awaited
  return { promise, resolve, reject }
}
