import type { ConditionalRule, Dialect, KeyPlace, KeyRule, KeyRules, PlaceRule } from 'deflector'
import { REPEATED } from './repeated.ts'
import { SESSION_FIELDS } from './session-id.ts'

/** The rules by which the bodies of a dialect enter a key, made ready once for each dialect. */

/**
 * Where in a body the writer is. Below a known place stands what a user wrote (a schema, a tool's arguments), and there
 * a field called `cache_control` or `id` is the user's own.
 */
export interface Place {
  readonly rules: ReadonlyMap<string, Rule>
  /** At the top a null is an absent field. */
  readonly isBody: boolean
}

/** `session`: left out while it is what a session id can be, as the key holds the session. */
export type Rule =
  | { readonly kind: 'noise' | 'call id'; readonly when?: ConditionalRule['when'] }
  | { readonly kind: 'session' }
  | {
      readonly kind: 'place'
      readonly place: Place
      readonly text: boolean
      readonly without?: PlaceRule['without']
    }

/** What cannot change an answer, in whatever dialect. This list is closed. */
const NOISE: KeyPlace = {
  stream: 'noise',
  stream_options: 'noise',
  ...Object.fromEntries(REPEATED.map(field => [field, 'noise'] as const)),
  model: 'noise', // the key holds the one it resolves to
}
/** The same in every place that a dialect knows. */
const NOISE_EVERYWHERE: KeyPlace = { cache_control: 'noise' }

/** Fields of a body that cannot change its answer. */
export const CHANGES_NOTHING: ReadonlySet<string> = new Set([...Object.keys(NOISE), ...Object.keys(NOISE_EVERYWHERE)])

/** Everything in it counts as it stands. */
export const DATA: Place = { rules: new Map(), isBody: false }

const COMMON = compiled({})
const known = new WeakMap<KeyRules, Place>()

/** The place that a whole body of the dialect is. */
export function rulesOf({ keyRules }: Pick<Dialect, 'keyRules'>): Place {
  if (keyRules === undefined) return COMMON
  let place = known.get(keyRules)
  if (!place) {
    place = compiled(keyRules)
    known.set(keyRules, place)
  }
  return place
}

function compiled(body: KeyRules): Place {
  const places = new Map<KeyPlace, Place>()
  const placeOf = (given: KeyPlace): Place => {
    const ready = places.get(given)
    if (ready) return ready
    const rules = new Map<string, Rule>()
    const place = { rules, isBody: given === body }
    places.set(given, place) // before its fields: places contain each other
    if (place.isBody) for (const field of SESSION_FIELDS) rules.set(field, { kind: 'session' })
    const all = { ...NOISE_EVERYWHERE, ...(place.isBody && NOISE), ...given }
    for (const [field, rule] of Object.entries(all)) {
      const made = ruleOf(rule, placeOf)
      if (made) rules.set(field, made)
      else rules.delete(field)
    }
    return place
  }
  return placeOf(body)
}

/** `undefined` for what counts as it stands. */
function ruleOf(rule: KeyRule, placeOf: (given: KeyPlace) => Place): Rule | undefined {
  if (rule === 'data') return undefined
  if (typeof rule === 'string') return { kind: rule }
  if ('rule' in rule) return { kind: rule.rule, when: around => rule.when(around) }
  const { without } = rule
  return { kind: 'place', place: placeOf(rule.place()), text: rule.text === true, ...(without && { without }) }
}
