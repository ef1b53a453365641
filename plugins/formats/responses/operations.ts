import { type Dialect, GatewayError, type HeadCall, type PromptHead } from 'deflector'
import { badRequest } from '../body.ts'
import { sseFraming } from '../sse.ts'
import { isStateId } from '../vendor-path.ts'
import { encodeError, encodeStreamError } from './errors.ts'
import { readHeadOnly } from './head.ts'
import { keyRules } from './key-rules.ts'
import { workIn } from './state.ts'

/** A call beside `POST /v1/responses`. */
export interface ResponsesOperation {
  /** As flows and providers know it. */
  readonly operation: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Below the path of all responses; `:id` is that of one of them. */
  readonly path: string
  readonly dialect: Dialect
}

const common = { name: 'responses', encodeError, encodeStreamError, framing: sseFraming, keyRules }

/** A vendor limits what is asked of stored responses apart from what it makes. */
const STORED = '/responses/:id'

/** What an SDK says of a response that it looks up, in the order in which it enters keys. */
const QUERY = ['after', 'before', 'include', 'include[]', 'limit', 'order'] as const

/** A call about one response that a vendor holds: its id stands in the path, and it has no body. */
const stored = (
  operation: string,
  method: ResponsesOperation['method'],
  path: string,
  more: { readonly ends?: boolean } = {},
): ResponsesOperation => ({
  operation,
  method,
  path,
  dialect: { ...common, workIn, bodiless: true, readHead: (_, call) => headOf(call, operation, more) },
})

function headOf({ params, query: given }: HeadCall, operation: string, more: { readonly ends?: boolean }): PromptHead {
  if (given.get('stream') === 'true')
    throw new GatewayError('bad_request', 'stream: a response that is kept is not streamed here; ask without it', {
      param: 'stream',
    })
  const { id = '' } = params
  if (!isStateId(id)) throw badRequest('response_id', 'is no id; write it as the response says it')
  const query = new URLSearchParams()
  for (const name of QUERY) for (const value of given.getAll(name)) query.append(name, value)
  const state = { field: 'response_id', refers: [id], creates: false, ...more }
  return { body: {}, stream: false, operation, endpoint: STORED, state, query: query.toString() }
}

const compact: ResponsesOperation = {
  operation: 'responses_compact',
  method: 'POST',
  path: '/compact',
  dialect: { ...common, readHead: body => ({ ...readHeadOnly(body), operation: 'responses_compact' }) },
}

/** What clients ask beside `POST /v1/responses`. Only a vendor of the dialect can answer. */
export const responsesOperations: readonly ResponsesOperation[] = [
  compact,
  stored('responses_retrieve', 'GET', '/:id'),
  stored('responses_delete', 'DELETE', '/:id', { ends: true }),
  stored('responses_cancel', 'POST', '/:id/cancel'),
  stored('responses_input_items', 'GET', '/:id/input_items'),
]
