import type { SettingValues } from './schema.ts'

/** Names of this machine in a URL. */
const HERE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'])

/** Would a request to this address come back to the gateway that sent it? */
export function isOwnListener(url: string | undefined, values: SettingValues): boolean {
  if (url === undefined || !URL.canParse(url)) return false
  const { hostname, port, protocol } = new URL(url)
  const asked = port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port)
  return asked === values['server.port'] && (HERE.has(hostname) || hostname === values['server.host'])
}
