import { basicPatches, type HttpVendor } from 'deflector/http-provider'
import { z } from 'zod'

/** The option of all that ask in the responses format, whose vendors keep their answers unless they are told not to. */
export const store = z
  .boolean()
  .default(true)
  .describe('Whether the vendor may keep answers in the responses format; false tells it to keep none.')

/** What is changed in such a body. */
export const keepingPatches =
  (keeps: boolean): NonNullable<HttpVendor['patches']> =>
  (body, target) => ({ ...basicPatches(body, target), ...(!keeps && body.store !== false && { store: 'false' }) })
