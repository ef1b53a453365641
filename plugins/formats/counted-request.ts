import type { Exchange } from 'deflector'
import { COUNT_TOKENS } from './token-count.ts'

/**
 * Is it one of the requests that statistics and books count? All chat calls of clients are, refused ones included. A call
 * without a valid key is nobody's, and would let strangers fill the disk; a count of tokens asks for no answer.
 */
export const isCounted = ({ kind, opened, failure }: Exchange): boolean =>
  kind === 'chat' && opened?.operation !== COUNT_TOKENS && failure?.code !== 'unauthorized'
