import type { Answer } from '../../api/ask.ts'

/** What requests of a window cost and saved. */
export type Usage = Answer<'GET /api/admin/usage'>
