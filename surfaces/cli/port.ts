import { CommandError } from './failure.ts'

/** A port from the command line. */
export function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new CommandError(`--port: must be a whole number from 0 to 65535, not "${text}"`)
}
