import { basicPatches, type HttpVendor } from 'deflector/http-provider'

/** What is changed in a body of the responses format, whose vendors keep their answers unless they are told not to. */
export const keepingPatches =
  (keeps: boolean): NonNullable<HttpVendor['patches']> =>
  (body, target) => ({ ...basicPatches(body, target), ...(!keeps && body.store !== false && { store: 'false' }) })
