import type { JsonObject } from '../json/object.ts'

/**
 * How the fields of a body enter a cache key. What is common to all dialects (the model, whether it streams, who asks)
 * is left out without a rule; a dialect says the rest about its own bodies. A field that no rule names counts as it
 * stands with all below it, so what is forgotten here makes two keys and never one.
 */
export type KeyRules = KeyPlace

/** The fields of one kind of object in a body. `cache_control` is left out of each place. */
export type KeyPlace = Readonly<Record<string, KeyRule>>

/**
 * What becomes of one field. `noise`: left out, because it cannot change an answer. `data`: counts as it stands, also
 * where the common rules would leave it out. `call id`: a name drawn for a tool call, or a reference to one; it counts by
 * its order of appearance. With `when` the rule holds for some objects only, and for all others the field is `data`.
 */
export type KeyRule = 'noise' | 'data' | 'call id' | ConditionalRule | PlaceRule

export interface ConditionalRule {
  readonly rule: 'noise' | 'call id'
  /** Asked with the object that has the field. */
  when(around: JsonObject): boolean
}

/** The value is an object of a known kind, or a list of such. */
export interface PlaceRule {
  /** A function, because places contain each other. */
  place(): KeyPlace
  /** A list of nothing but one plain text block counts as its text. */
  readonly text?: boolean
  /** The first item of a list of which this is true is left out. */
  without?(item: unknown): boolean
}
