import type { DialectHeader } from 'deflector'

/** What a client says of the format: the version, and the features of it that it wants to use. */
export const headers: readonly DialectHeader[] = [
  { name: 'anthropic-version', default: '2023-06-01' },
  { name: 'anthropic-beta', set: true },
  { name: 'anthropic-', prefix: true },
]
