/** Windows of the overview, by their hours. */
export const WINDOWS = { '24': '24 hours', '168': '7 days', '720': '30 days' } as const
export type Window = keyof typeof WINDOWS

export const isWindow = (hours: string): hours is Window => hours in WINDOWS

/** Hours of one bar, by window. */
export const STEPS: Readonly<Record<Window, number>> = { '24': 1, '168': 6, '720': 24 }
/** In a sentence. */
export const SPOKEN: Readonly<Record<Window, string>> = {
  '24': 'in the last 24 hours',
  '168': 'in the last 7 days',
  '720': 'in the last 30 days',
}
