import { defineSurface } from 'deflector'
import { completions } from 'deflector/formats/completions'
import { z } from 'zod'

export default defineSurface({
  name: 'completions',
  needsFlow: true,
  // Names no operations, as not every provider has them: such a call is refused by itself.
  summary: 'POST /v1/completions: a text to be continued, passed to the first provider that does so',
  options: z.strictObject({}),
  apply(host) {
    host.route('POST', '/v1/completions', call => host.serve(call, completions), { format: completions })
  },
})
