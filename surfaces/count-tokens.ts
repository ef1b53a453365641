import { defineSurface } from 'deflector'
import { countContent, keyed, placesOf } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { countResponse } from 'deflector/formats/responses'
import { type CountFormat, counting } from 'deflector/formats/token-count'
import { z } from 'zod'

/** Where the clients of each dialect ask, and how they are answered. */
const COUNTS: Readonly<Record<string, CountFormat>> = {
  '/v1/messages/count_tokens': counting(messages, { encodeCount: tokens => ({ input_tokens: tokens }) }),
  '/v1/responses/input_tokens': countResponse,
  ...Object.fromEntries(placesOf('countTokens').map(place => [place, countContent])),
}

export default defineSurface({
  name: 'count-tokens',
  needsFlow: true,
  // Names no operations: lint would ask for a provider that counts, and a layer that estimates does without.
  summary:
    'POST /v1/messages/count_tokens, /v1/responses/input_tokens and /v1beta/models/{model}:countTokens: how many tokens a prompt has, before it is asked',
  options: z.strictObject({}),
  apply(host) {
    for (const [path, format] of Object.entries(COUNTS))
      host.route('POST', path, call => host.serve(keyed(call), format), { format })
  },
})
