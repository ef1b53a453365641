import { cacheable } from '../../plugins/layers/semantic-cache/cacheable.ts'
import { canonicalKey } from '../../plugins/layers/semantic-cache/canonical.ts'
import { categoryOf, comparable, evaluate } from '../../plugins/layers/semantic-cache/decide.ts'
import { Verifier } from '../../plugins/layers/semantic-cache/verifier.ts'
import { BARS, WEIGHTS } from '../../plugins/layers/semantic-cache/verifier-weights.ts'

const verifier = new Verifier(WEIGHTS)

/** How who asks would get the answer to what is stored; `undefined`: not at all. */
export function servedBy(
  stored: string,
  asked: string,
  { cosine, threshold }: { readonly cosine: number; readonly threshold: number },
): 'canonical' | 'similar' | undefined {
  if (cacheable(asked) !== 'yes' || cacheable(stored) !== 'yes') return undefined
  if (canonicalKey(stored) === canonicalKey(asked)) return 'canonical'
  if (cosine < threshold) return undefined
  const prompt = comparable(asked)
  const result = evaluate(prompt, comparable(stored), cosine, verifier)
  return typeof result === 'number' && result >= BARS[categoryOf(prompt)] ? 'similar' : undefined
}
