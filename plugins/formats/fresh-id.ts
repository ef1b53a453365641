import { randomUUID } from 'node:crypto'

/** Part of the id of a call whose vendor gave none. No two answers share it: clients know all calls of a conversation by theirs. */
export const freshId = (): string => randomUUID().replaceAll('-', '').slice(0, 24)
