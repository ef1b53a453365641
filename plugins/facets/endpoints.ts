import { facet } from 'deflector'
import type { z } from 'zod'

/** What a route takes and answers, for those who read about it: `/openapi.json` is made of these. */
export interface Endpoint {
  readonly method: string
  /** As the route has it. */
  readonly path: string
  /** One line. */
  readonly summary: string
  /** Parameters of the query. */
  readonly query?: z.ZodObject
  readonly body?: z.ZodType
  /** Of the answer with status 200. */
  readonly answer?: z.ZodType
  /** The answer is server-sent events. */
  readonly stream?: boolean
  /** The answer is plain text. */
  readonly text?: boolean
  /** Status 202 is an answer, too: what has none. */
  readonly accepted?: string
  /** Status 204 is an answer, too: what it says. */
  readonly empty?: string
  /** Statuses of refusals besides those that are known of any route: of a key, of a query and of a body. */
  readonly refusals?: readonly number[]
  /** No key is ever asked for. */
  readonly open?: boolean
}

export const endpoints = facet<readonly Endpoint[]>('endpoints')
