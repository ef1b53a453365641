import { readdirSync, readFileSync } from 'node:fs'

/** Environment variable that a test file and everything it starts has in common. */
export const FAMILY = 'DEFLECTOR_TEST_FAMILY'

/** The name of a family; a runner that is itself tested names its families within its own. */
export const familyName = number => [process.env[FAMILY], `${process.pid}.${number}`].filter(Boolean).join('/')

/** Kills what is left of a test file: its process group, and the daemons that left the group. */
export function killFamily(leader, name) {
  kill(-leader)
  for (const pid of strays(name)) kill(pid)
}

function kill(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {} // it is gone already
}

/** Processes that carry the family's name. Only Linux shows the environment of a process. */
function strays(name) {
  if (process.platform !== 'linux') return []
  const mark = `\0${FAMILY}=${name}`
  return readdirSync('/proc').filter(pid => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      const around = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
      return around.includes(`${mark}\0`) || around.includes(`${mark}/`)
    } catch {
      return false // it is gone, or it is not ours
    }
  })
}
