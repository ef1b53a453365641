import { z } from 'zod'
import type { Gateway } from './gateway.ts'

const stats = z.object({
  caches: z.object({ 'semantic-cache': z.record(z.string(), z.number()).optional() }),
})

export interface SemanticStats {
  readonly entries: number
  /** Lookups that were refused or came too late. */
  readonly busy: number
  /** Candidates that the network refused. */
  readonly improbable: number
}

/** What the semantic cache has counted since its start. */
export async function statsOf({ url }: Pick<Gateway, 'url'>): Promise<SemanticStats> {
  const reply = await fetch(`${url}/api/admin/cache`)
  const found = stats.parse(await reply.json()).caches['semantic-cache'] ?? {}
  const of = (name: string): number => found[name] ?? 0
  return { entries: of('entries'), busy: of('busy'), improbable: of('refused_improbable') }
}
