import { hash } from 'node:crypto'

/**
 * An id of a person or a session for others than those whom it was meant for: they do not learn it, but can tell ids
 * apart. 64 characters, which every vendor takes.
 */
export const pseudonym = (id: string): string => hash('sha256', id, 'hex')
