import { CommandError } from './failure.ts'

/** The base URL of `--gateway-url`, without a trailing slash. Throws a `CommandError` unless it is an http(s) URL. */
export function gatewayUrl(url: string): string {
  const { protocol = '', username = '' } = URL.canParse(url) ? new URL(url) : {}
  if (!/^https?:$/.test(protocol) || username !== '') {
    throw new CommandError('--gateway-url: must be an http or https URL, such as http://127.0.0.1:8080')
  }
  return url.replace(/\/+$/, '')
}
