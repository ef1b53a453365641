import { readFileSync } from 'node:fs'

/**
 * Does this process run on this machine? `began` is what `startOf` once said of it: numbers are given again, and
 * another process that has this one now counts as gone.
 */
export function isRunning(pid: number, began?: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // A process of another user runs, too.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const now = startOf(pid)
  return !began || now === undefined || now === began
}

/** Clock ticks from boot to the start of a process; `undefined` on other systems than Linux. */
export function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold any character; the start time is the 20th field after it.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
