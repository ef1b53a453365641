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
  /** No key is ever asked for. */
  readonly open?: boolean
}

export const endpoints = facet<readonly Endpoint[]>('endpoints')
