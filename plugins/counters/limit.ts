import { z } from 'zod'
import type { LocalChange } from './local-counters.ts'
import type { WindowName } from './windows.ts'

/** What a limit limits: calls, tokens of prompts and answers together, or US dollars. */
export type Unit = 'requests' | 'tokens' | 'usd'

/** So much of each unit. */
export type Amounts = Readonly<Partial<Record<Unit, number>>>

export interface Limit {
  readonly window: WindowName
  readonly unit: Unit
  readonly limit: number
}

/** A limit that a reservation would pass. */
export interface PassedLimit extends Limit {
  /** When its window ends, milliseconds since 1970. */
  readonly endsAt: number
}

/** What one reservation takes of one limit. */
export interface Claim {
  readonly limit: Limit
  /** Name of the counter. */
  readonly key: string
  /** In the counter's whole numbers, see `whole`. */
  readonly by: number
  readonly endsAt: number
}

/** Claims that were kept in a store. */
export const keptClaims = z.array(
  z.object({
    limit: z.object({
      window: z.enum(['minute', 'daily', 'weekly', 'monthly']),
      unit: z.enum(['requests', 'tokens', 'usd']),
      limit: z.number(),
    }),
    key: z.string(),
    by: z.number(),
    endsAt: z.number(),
  }),
)

/** Counters are whole numbers, so they count billionths of a dollar. */
const NANO = 1e9

/** An amount as the counters have it, rounded up. */
export const whole = (unit: Unit, amount: number): number => Math.ceil(unit === 'usd' ? amount * NANO : amount)

/** A count of the counters in its unit. */
export const shown = (unit: Unit, count: number): number => (unit === 'usd' ? count / NANO : count)

/** For people: `1,200 tokens`, `0.25 USD`. */
export const shownAmount = (unit: Unit, count: number): string =>
  unit === 'usd' ? `${Number(count.toPrecision(3))} USD` : `${Math.ceil(count).toLocaleString('en')} ${unit}`

/** The change of a claim's counter. How many requests there were is not worth a write: they count for a minute. */
export const changeOf = ({ key, by, endsAt, limit }: Claim): LocalChange => ({
  key,
  by,
  endsAt,
  ...(limit.unit === 'requests' && { volatile: true }),
})

/** `daily token limit`, `request limit of a minute`. */
export function limitName({ window, unit }: Pick<Limit, 'window' | 'unit'>): string {
  const what = { requests: 'request limit', tokens: 'token limit', usd: 'cost limit' }[unit]
  return window === 'minute' ? `${what} of a minute` : `${window} ${what}`
}
