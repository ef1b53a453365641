import type { z } from 'zod'
import { type AdminOptions, askAdmin } from './ask-admin.ts'

export type CacheOptions = AdminOptions

/** Asks the cache-admin surface of a gateway, see `askAdmin`; `path` is the part behind `/api/admin/cache`. */
export const askCacheAdmin = <T>(options: CacheOptions, shape: z.ZodType<T>, path: string, body?: object): Promise<T> =>
  askAdmin(options, shape, { path: `/api/admin/cache${path}`, surface: 'cache-admin', body })
