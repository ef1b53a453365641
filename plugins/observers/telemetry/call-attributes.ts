import type { Attributes } from '@opentelemetry/api'
import type { Call } from 'deflector'

/** What is known of a call when it begins, by the specification's names and by those of the conventions for HTTP. */
export function callAttributes(route: string, { method, path, headers, remote, proxied }: Call): Attributes {
  return {
    'http.method': method,
    'http.request.method': method,
    'http.route': route,
    'url.path': path,
    'url.scheme': proxied === undefined ? 'http' : 'https',
    'client.address': remote.replace(/^::ffff:/i, ''),
    'user_agent.original': headers['user-agent'],
    ...addressOf(headers.host),
  }
}

/** The server as the client called it. */
function addressOf(host: string | undefined): Attributes {
  const [, address, port] = /^(.*?)(?::(\d+))?$/.exec(host ?? '') ?? []
  return { 'server.address': address || undefined, 'server.port': port === undefined ? undefined : Number(port) }
}
