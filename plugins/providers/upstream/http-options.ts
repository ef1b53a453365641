import { z } from 'zod'
import { clientCredentials } from './client-credentials.ts'
import { hostedTools, webSearch } from './hosted-tools.ts'
import { keyOptions } from './keys.ts'
import { urlSchema } from './url.ts'

/** The options that all HTTP vendors share; a plugin puts them into its schema and may replace single ones. */
export const httpOptions = {
  url: urlSchema.describe('Base URL, or the full URL of a call.'),
  model: z
    .string()
    .nullable()
    .default(null)
    .describe('Model to ask for when the client names none, and as a fallback.'),
  ...keyOptions,
  vendor_names: z
    .array(z.string())
    .default([])
    .describe('Names under which a stored key is found, where none is stored for the instance itself.'),
  key_required: z.boolean().default(false).describe('Whether the vendor refuses calls without a credential.'),
  client_credentials: clientCredentials
    .optional()
    .describe("Clients' own credentials that are sent in place of ours, where `forward_client_credentials` is on."),
  headers: z.record(z.string(), z.string()).default({}).describe('Headers sent with every call.'),
  connect_secs: z.number().positive().default(10).describe('Seconds that a connection to the vendor may take.'),
  first_event_secs: z
    .number()
    .positive()
    .optional()
    .describe('Seconds until the first content of a stream, in place of those of the layer that asks.'),
  whole_answer_secs: z
    .number()
    .positive()
    .optional()
    .describe('Seconds for an answer that comes whole, in place of those of the layer that asks.'),
  larger_context: z
    .boolean()
    .default(false)
    .describe('Whether it is asked what was too long for the models before it.'),
  hosted_tools: hostedTools
    .default('refuse')
    .describe('Tools that a vendor of another format would run itself: `refuse` the request, or `drop` them from it.'),
  store: z
    .boolean()
    .default(true)
    .describe('Whether a vendor that is asked in the responses format may keep answers; false tells it to keep none.'),
  web_search: webSearch
    .nullable()
    .default(null)
    .describe('How the vendor searches the web itself for clients of other formats; null: it does not.'),
  propagate_trace: z
    .boolean()
    .default(false)
    .describe('Whether the vendor is sent the `traceparent` of the request, so that its spans join the same trace.'),
  stream_idle_secs: z
    .number()
    .positive()
    .default(60)
    .describe('Seconds without a byte after which a stream is given up.'),
}

const schema = z.object(httpOptions)

/** What an operator may set of any HTTP vendor. */
export type HttpOptions = z.output<typeof schema>
