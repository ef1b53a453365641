import { setTimeout as pause } from 'node:timers/promises'

/** The first pause, and the longest: a check that asks a gateway again and again takes its time from what it waits for. */
const [PAUSE_MS, LONGEST_MS] = [10, 200]
/** About two minutes, or longer on a machine that does other things, too. */
const TRIES = 620

/** Resolves once `check` gives true; what it throws counts as false. For what happens in another process. */
export async function until(what: string, check: () => Promise<boolean> | boolean): Promise<void> {
  let pauseMs = PAUSE_MS
  for (let left = TRIES; left > 0; left--) {
    const holds = await Promise.resolve()
      .then(check)
      .catch(() => false)
    if (holds) return
    await pause(pauseMs)
    pauseMs = Math.min(LONGEST_MS, pauseMs * 1.2)
  }
  throw new Error(`it never came to this: ${what}`)
}
