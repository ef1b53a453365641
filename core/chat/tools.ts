import type { JsonObject } from '../json/object.ts'

export interface Tool {
  readonly name: string
  readonly description?: string
  /** JSON Schema of the arguments; absent means no arguments. */
  readonly parameters?: JsonObject
  readonly strict?: boolean
  /** Takes one free text instead of arguments; `grammar` is what the text must follow: a `definition`, and its `syntax`. */
  readonly kind?: 'custom'
  readonly grammar?: JsonObject
  /** The group that the tool is declared in; `name` begins with it, so that no two tools have one name. */
  readonly namespace?: string
  /**
   * A tool that a vendor defines or runs itself, as it came; every other format refuses it with `bad_request`. `field` is
   * its path in the client's body, where that is known. `search` says the same of a search of the web, which vendors of
   * several formats run.
   */
  readonly hosted?: {
    readonly format: string
    readonly value: JsonObject
    readonly field?: string
    readonly search?: WebSearch
  }
}

/** A search of the web that its vendor runs itself. What the client left open is absent. */
export interface WebSearch {
  readonly allowedDomains?: readonly string[]
  readonly blockedDomains?: readonly string[]
  /** Where the user is about: names of places, a country's code of two letters, a time zone by its IANA name. */
  readonly location?: { readonly [Part in 'city' | 'region' | 'country' | 'timezone']?: string }
  /** Searches that may be made for one answer. */
  readonly maxUses?: number
  /** How much of what is found the model reads. Guidance: an encoder without a word for it leaves it out. */
  readonly contextSize?: 'low' | 'medium' | 'high'
  /** The path of each setting in the client's body. */
  readonly fields: { readonly [Setting in SearchSetting]?: string }
  /** Paths of settings that no other dialect has. */
  readonly vendorOnly?: readonly string[]
}

/** What may not be left out: without it the answer would be another one. */
export type SearchSetting = 'allowedDomains' | 'blockedDomains' | 'location' | 'maxUses'

export interface ToolChoice {
  /** `any`: must call something; `named`: must call one of `names`. */
  readonly mode: 'auto' | 'none' | 'any' | 'named'
  readonly names?: readonly string[]
  readonly parallel?: boolean
}
