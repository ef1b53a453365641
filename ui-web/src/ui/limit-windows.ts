/** Windows of limits, in words behind an amount. */
export const WINDOWS = {
  minute: 'per minute',
  daily: 'per day',
  weekly: 'per week',
  monthly: 'per month',
} as const
