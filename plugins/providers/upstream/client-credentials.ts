import { z } from 'zod'
import { pattern } from './quirks-schema.ts'
import { isExposed } from './url.ts'

/** Which credentials a vendor gives out. A preset names its vendor's; the host keeps them from any other address. */
export const clientCredentials = z.strictObject({
  form: pattern.describe('Regular expression that the credentials of this vendor fit, and those of no other.'),
  host: z
    .string()
    .min(1)
    .describe("The vendor's host: where `url` has another one, no client's credential goes there."),
})

/** Is a client's own credential one of the vendor behind `url`? */
export function ownership(
  rule: z.output<typeof clientCredentials> | undefined,
  url: URL,
): ((credential: string) => boolean) | undefined {
  if (!rule || rule.host !== url.hostname || isExposed(url)) return undefined
  const form = new RegExp(rule.form)
  return credential => form.test(credential)
}
