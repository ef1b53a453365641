import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** Absolute path of something that ships with deflector; `place` is relative to the root of the package. */
export const packaged = (place: string): string =>
  join(dirname(createRequire(import.meta.url).resolve('deflector/package.json')), place)
