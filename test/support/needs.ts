import { isInstalled, missingLine } from './programs.mjs'

/** Ends the file before its first test where a program is missing; the runner then names the file and does not count it. */
export function needs(program: 'redis-server' | 'openssl' | 'chromium' | 'tmux'): void {
  if (isInstalled(program)) return
  process.stdout.write(`${missingLine(program)}\n`)
  process.exit(0)
}
