import { hash } from 'node:crypto'

/** What a text is known by. Not by its UTF-8, in which all halves of characters are the same. */
export const digestOf = (text: string): string => hash('sha256', Buffer.from(text, 'utf16le'), 'base64')

/** Short enough to be read, for a reference. */
export const shortDigest = (text: string): string => hash('sha256', text, 'hex').slice(0, 8)
