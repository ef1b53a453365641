import { z } from 'zod'

export const optimiserOptions = z.strictObject({
  enabled: z.boolean().default(true).describe('Shorten instructions; when off, the layer does nothing.'),
  dedup: z.boolean().default(true).describe('Replace instruction blocks that stand in full earlier in the request.'),
  dedup_scope: z
    .enum(['request', 'session'])
    .default('request')
    .describe(
      'Where a block must have been seen: earlier in the request, or also in an earlier request of the session, which most vendors have forgotten.',
    ),
  tool_results: z
    .boolean()
    .default(false)
    .describe('Replace results of tools that stand in full earlier in the request by a pointer to that call.'),
  breakpoints: z
    .boolean()
    .default(false)
    .describe('Have a vendor of the messages format cache conversations of clients that mark nothing themselves.'),
  minify: z.boolean().default(true).describe('Strip comments, decoration and repeated blank lines.'),
})

export type OptimiserOptions = z.output<typeof optimiserOptions>
