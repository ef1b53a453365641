import { readdirSync, readFileSync } from 'node:fs'

/** Ticks of `/proc` a second, as every Linux of today has them. */
const TICKS = 100

interface Stat {
  readonly parent: number
  readonly cpuMs: number
}

/** `undefined` for a process that is gone. */
function statOf(pid: number | string): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name before it may hold spaces and brackets.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const [parent = 0, user = 0, system = 0] = [fields[1], fields[11], fields[12]].map(Number)
    return { parent, cpuMs: ((user + system) * 1000) / TICKS }
  } catch {
    return undefined
  }
}

/** Milliseconds of processor time that a process took so far, and those that its children took. */
export function cpuOf(pid: number): { readonly own: number; readonly children: number } {
  const stats = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  const children = stats.flatMap(name => {
    const stat = statOf(name)
    return stat?.parent === pid ? [stat.cpuMs] : []
  })
  return { own: statOf(pid)?.cpuMs ?? 0, children: children.reduce((sum, ms) => sum + ms, 0) }
}

/** Milliseconds that the main thread of a process has run so far: without those that collect garbage beside it. */
export const mainThreadOf = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ')[0]) / 1e6
