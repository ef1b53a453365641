import { z } from 'zod'
import { askCacheAdmin, type CacheOptions } from './ask-cache-admin.ts'
import { CommandError } from './failure.ts'

const counted = z.object({ caches: z.record(z.string(), z.record(z.string(), z.number())) })
const cleared = z.object({ cleared: z.array(z.string()) })
const forgotten = z.object({ forgotten: z.array(z.string()) })

/** `deflector cache stats`: entries and counts since the start of each cache of the running gateway. */
export async function stats(options: CacheOptions): Promise<void> {
  const { caches } = await askCacheAdmin(options, counted, '')
  for (const [name, counts] of Object.entries(caches)) {
    const columns = Object.entries(counts).map(([what, count]) => `${count} ${what}`)
    process.stdout.write(`${name}: ${columns.join(', ')}\n`)
  }
  if (Object.keys(caches).length === 0) process.stdout.write('no cache is on\n')
}

/** `deflector cache clear`: empties every cache of the running gateway. */
export async function clear(options: CacheOptions): Promise<void> {
  const { cleared: names } = await askCacheAdmin(options, cleared, '/clear', {})
  process.stdout.write(`cleared: ${names.join(', ') || 'no cache is on'}\n`)
}

/** `deflector cache forget <request-id>`: removes the answer that the request was served. */
export async function forget(id: string, options: CacheOptions): Promise<void> {
  const { forgotten: names } = await askCacheAdmin(options, forgotten, '/forget', { request_id: id })
  if (names.length === 0) throw new CommandError(`no cache knows the request ${id}, or its answer is gone`)
  process.stdout.write(`forgotten: ${names.join(', ')}\n`)
}
