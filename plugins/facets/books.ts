import { facet } from 'deflector'

/** Totals of some requests. Costs are in USD, tokens those that vendors counted, or guesses where they did not. */
export interface UsageTotals {
  readonly requests: number
  /** Answered without a vendor call. */
  readonly deflected: number
  /** Refused, or failed: all other requests were answered. */
  readonly failed: number
  /** All that was sent, cached parts included. */
  readonly promptTokens: number
  readonly cachedReadTokens: number
  readonly cacheWriteTokens: number
  /** All that was generated, reasoning included. */
  readonly completionTokens: number
  readonly reasoningTokens: number
  /** Tokens that deflected requests would have used. */
  readonly savedTokens: number
  /** `undefined` where nothing of it has a known price. */
  readonly costUsd: number | undefined
  readonly savedCostUsd: number | undefined
  /** Vendor calls and deflections whose price is unknown: the costs are without them. */
  readonly unpriced: number
  /** Vendor calls and deflections whose tokens are guessed. */
  readonly estimated: number
}

/** By what usage is told apart. `key` is a vendor's key, by provider and label; `principal` a caller of the gateway, `none` without a key. */
export type UsageDimension = 'key' | 'principal' | 'tag' | 'tool' | 'layer'

export interface UsageRow extends UsageTotals {
  readonly provider: string
  readonly model: string
}

/** One day (UTC, `2026-11-22`) of one model. */
export interface DailyUsage extends UsageRow {
  readonly day: string
}

/** A bar of a chart: what requests of one name did in some hours that belong together. */
export interface UsagePoint extends UsageTotals {
  /** When its hours begin, in milliseconds since 1970. */
  readonly start: number
  /** Of the dimension: `l1a`, or `openai/gpt-4o`. */
  readonly name: string
}

/** What requests cost and saved. Windows are the last `hours` hours, from the beginning of the hour in which they begin. */
export interface Books {
  /** The folder of the ledger. */
  readonly folder: string
  readonly retentionDays: number
  /** The window of summaries where nobody asks for another one. */
  readonly windowHours: number
  /** Resolves once all requests that have ended are counted. */
  settled(): Promise<void>
  totals(hours: number): UsageTotals
  /** By provider and model; the most expensive first. */
  rows(hours: number): readonly UsageRow[]
  /** By day, provider and model; the newest day first. */
  daily(hours: number): readonly DailyUsage[]
  /** By something else, by its name. A request with two tags counts with both. */
  by(dimension: UsageDimension, hours: number): ReadonlyMap<string, UsageTotals>
  /** The same over time, in groups of `step` hours from midnight UTC on, the oldest first. Old days are one hour each. */
  timeline(dimension: UsageDimension | 'model', hours: number, step: number): readonly UsagePoint[]
}

export const books = facet<Books>('books')
