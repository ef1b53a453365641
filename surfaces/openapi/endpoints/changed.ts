import { z } from 'zod'

const names = z.array(z.string())

/** Which settings a change changes, and when each counts. */
export const effects = {
  in_effect: names.describe('settings that count now'),
  until_restart: names.describe('settings that count from the next start on'),
}

/** The answer to a change of the settings. */
export const changed = z.object({
  ok: z.literal(true),
  message: z.string(),
  restart_required: z.boolean().describe('does this change wait for the next start, in part at least?'),
  ...effects,
  waiting: names.describe('settings that were changed earlier, and wait for the next start still'),
  revision: z.string().describe('of the file as it is now'),
})
