import type { Exchange } from 'deflector'
import type { NearEntry } from './entries.ts'

/** Writes the decision on a neighbour into the trail and the trace. */
export function noteNeighbour(
  exchange: Exchange,
  reason: string,
  { id, similarity, probability }: Pick<NearEntry, 'id' | 'similarity'> & { readonly probability?: number },
): void {
  const cosine = similarity.toFixed(4)
  const likely = probability?.toFixed(4)
  exchange.note([reason, cosine, ...(likely ? [likely] : []), id].join(' '))
  const { attributes } = exchange
  attributes?.set('cosine_similarity', cosine).set('cache.reason', reason).set('cache.neighbour_id', id)
  if (likely) attributes?.set('cache.probability', likely)
}
