import { setTimeout as pause } from 'node:timers/promises'

const PAUSE_MS = 10
/** About two minutes, or longer on a machine that does other things, too. */
const TRIES = 12_000

/** Resolves once `check` gives true; what it throws counts as false. For what happens in another process. */
export async function until(what: string, check: () => Promise<boolean> | boolean): Promise<void> {
  for (let left = TRIES; left > 0; left--) {
    const holds = await Promise.resolve()
      .then(check)
      .catch(() => false)
    if (holds) return
    await pause(PAUSE_MS)
  }
  throw new Error(`it never came to this: ${what}`)
}
