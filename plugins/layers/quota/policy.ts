import type { Limit } from 'deflector/counters'
import { z } from 'zod'

const tokens = (window: string) =>
  z.number().int().min(0).optional().describe(`Tokens of prompts and answers that a ${window} may take.`)
const usd = (window: string) => z.number().min(0).optional().describe(`US dollars that a ${window} may cost.`)

/** The limits of one provider. */
export const policySchema = z.strictObject({
  daily_token_limit: tokens('day'),
  weekly_token_limit: tokens('week'),
  monthly_token_limit: tokens('month'),
  daily_cost_limit_usd: usd('day'),
  weekly_cost_limit_usd: usd('week'),
  monthly_cost_limit_usd: usd('month'),
  warning_threshold_ratio: z
    .number()
    .min(0)
    .max(1)
    .default(0.8)
    .describe('Share of a limit from which on the log warns.'),
  action_on_limit: z
    .enum(['warn', 'block', 'fallback'])
    .default('warn')
    .describe(
      'What becomes of a call that would pass a limit: it is made (`warn`), refused with 429 (`block`), or goes to the next provider (`fallback`).',
    ),
})

export type Policy = z.output<typeof policySchema>

const WINDOWS = ['daily', 'weekly', 'monthly'] as const

/** The limits that a policy sets. */
export const limitsOf = (policy: Policy): Limit[] =>
  WINDOWS.flatMap(window => {
    const [most, cost] = [policy[`${window}_token_limit`], policy[`${window}_cost_limit_usd`]]
    return [
      ...(most === undefined ? [] : [{ window, unit: 'tokens' as const, limit: most }]),
      ...(cost === undefined ? [] : [{ window, unit: 'usd' as const, limit: cost }]),
    ]
  })
