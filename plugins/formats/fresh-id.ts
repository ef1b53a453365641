import { randomUUID } from 'node:crypto'

/** Part of the id of a call whose vendor gave none. No two answers share it: clients tell all calls of a conversation apart by their ids. */
export const freshId = (): string => randomUUID().replaceAll('-', '').slice(0, 24)
