import type { WritingTask } from 'deflector'

/** A conversation as both APIs write it. */
export const messagesOf = ({ system, turns }: WritingTask): readonly object[] => [
  ...(system === undefined ? [] : [{ role: 'system', content: system }]),
  ...turns.map(({ role, text }) => ({ role, content: text })),
]

/** The address with another path in place of its own ending: `ending` is what people copy from a server's documentation. */
export function addressWith(url: string, ending: RegExp, path: string): string {
  const address = new URL(url)
  address.pathname = address.pathname.replace(/\/+$/, '').replace(ending, '') + path
  return address.href
}
