import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { needs } from './needs.ts'
import { opened, tempFolder } from './opened.ts'

needs('tmux')

/** One look starts a process. About a minute. */
const PAUSE_MS = 50
const TRIES = 1_000

/** A real terminal of a size, in which a shell runs. */
export interface Terminal {
  /** Types this, and Enter. */
  run(line: string): void
  /** Presses keys by tmux's names of them. */
  press(...keys: readonly string[]): void
  /** The screen as it is now, a line each. */
  lines(): string[]
  /** Resolves once the screen shows it; gives the screen. */
  shows(pattern: RegExp): Promise<string>
  resize(columns: number, rows: number): void
  /** Does nothing run in the shell, is the cursor seen, is it the first screen, and do lines wrap? */
  isRestored(): boolean
  /** Sends a signal to what runs in the shell. */
  signal(name: NodeJS.Signals): void
}

export function startTerminal(columns: number, rows: number, env: Readonly<Record<string, string>>): Terminal {
  const socket = join(tempFolder('tmux'), 'socket')
  const tmux = (...args: readonly string[]): string =>
    execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
  tmux('new-session', '-d', '-x', `${columns}`, '-y', `${rows}`, 'PS1="ready> " exec sh')
  opened(async () => void tmux('kill-server'))
  const shell = Number(tmux('display-message', '-p', '#{pane_pid}'))
  const lines = (): string[] => tmux('capture-pane', '-p').split('\n').slice(0, -1)
  return {
    run: line => void tmux('send-keys', line, 'Enter'),
    press: (...keys) => void tmux('send-keys', ...keys),
    lines,
    async shows(pattern) {
      for (let left = TRIES; left > 0; left--) {
        const screen = lines().join('\n')
        if (pattern.test(screen)) return screen
        await pause(PAUSE_MS)
      }
      throw new Error(`it never showed ${pattern}:\n${lines().join('\n')}`)
    },
    resize: (x, y) => void tmux('resize-window', '-x', `${x}`, '-y', `${y}`),
    isRestored: () =>
      childOf(shell) === undefined &&
      tmux('display-message', '-p', '#{cursor_flag} #{alternate_on} #{wrap_flag}').trim() === '1 0 1',
    signal(name) {
      const child = childOf(shell)
      if (child === undefined) throw new Error('nothing runs in the shell')
      process.kill(child, name)
    },
  }
}

function childOf(parent: number): number | undefined {
  const child = readdirSync('/proc').find(name => {
    if (!/^\d+$/.test(name)) return false
    try {
      return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, 'utf8'))?.[1]) === parent
    } catch {
      return false // it has ended meanwhile
    }
  })
  return child === undefined ? undefined : Number(child)
}
