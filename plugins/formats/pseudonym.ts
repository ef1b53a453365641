import { hash } from 'node:crypto'

/**
 * The id of a person for another vendor than the one it was meant for: that vendor does not learn whom the client serves,
 * but can tell its users apart. 64 characters, which every vendor takes.
 */
export const pseudonym = (user: string): string => hash('sha256', user, 'hex')
