import type { WhyCandidate } from 'deflector/facets/cache-why'
import type { NoResult } from './engine/lookups.ts'
import { MOST_JUDGED } from './engine/messages.ts'

/** The decision in words, for the operator. */

export const INCOMPARABLE = 'no other wording is compared (its language, length or content)'
export const NOTHING_STORED =
  'nothing comparable is stored for this surface, model, session, system prompt and parameters'

/** For a bar that no probability reaches. */
export const NO_BAR = 'beyond all: semantic_max_false_requests is below what was measured'

/** The rule of a candidate that a request would not get to. */
export const TOO_FAR = 'too_far'
export const TOO_FAR_MEANS = `a request judges the ${MOST_JUDGED} nearest candidates that no rule refuses, and none after them`
/** Of a pair that would be a hit, if nothing else were stored. */
export const NOT_REACHED = `; but nearer prompts are stored, and ${TOO_FAR_MEANS}: as things are, the request is a miss for it`

/** Why nobody knows what is near. */
export const WITHOUT: Readonly<Record<NoResult, string>> = {
  busy: 'the semantic engine is busy, so that other wordings are not found',
  down: 'the semantic engine does not run, so that other wordings are not found; see the log of the gateway',
  failed: 'a model of the semantic cache fails; see the log of the gateway',
}

/** Why one of the candidates is served, or none. Best first. They need `least` and `bar`; without a bar, nothing judges. */
export function becauseOf(candidates: readonly WhyCandidate[], least: number, bar?: number): string {
  const hit = candidates.find(one => one.hit)
  if (hit) {
    const which = nameOf(hit, candidates)
    if (bar === undefined) return `${which} is the nearest, and no judge is asked`
    return `${which} has the probability ${shown(hit.probability)}, and the bar is ${shown(bar)}`
  }
  const near = candidates.filter(({ similarity }) => similarity >= least)
  const [nearest] = near
  if (!nearest) {
    const most = candidates[0] ? `; the nearest has ${shown(candidates[0].similarity)}` : ''
    return `no candidate has a similarity of ${least}${most}`
  }
  const allowed = near.filter(({ rule }) => rule === undefined)
  const [likeliest] = allowed.toSorted((a, b) => (b.probability ?? 0) - (a.probability ?? 0))
  if (!likeliest) return `${nameOf(nearest, candidates)} is refused by the rule "${nearest.rule}"`
  const told = `${nameOf(likeliest, candidates)} has the probability ${shown(likeliest.probability)}, below the bar ${Number.isFinite(bar) ? shown(bar) : `(${NO_BAR})`}`
  const farther = near.find(({ rule, probability = 0 }) => rule === TOO_FAR && bar !== undefined && probability >= bar)
  return farther ? `${told}; ${nameOf(farther, candidates)} reaches it, but is too far: ${TOO_FAR_MEANS}` : told
}

function nameOf(one: WhyCandidate, candidates: readonly WhyCandidate[]): string {
  return candidates.length === 1 ? 'the only candidate' : `candidate ${candidates.indexOf(one) + 1}`
}

const shown = (value = 0): string => value.toFixed(4)
