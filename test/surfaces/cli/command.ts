import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { opened, tempFolder } from '../../support/opened.ts'
import { SOURCES } from '../../support/typescript/flags.mjs'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const main = join(root, 'surfaces/cli/main.ts')

/** Longest wait for anything here, in milliseconds; only reached when something is broken. */
const PATIENCE = 120_000

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that is running, and what it has said so far. */
export class Started {
  stdout = ''
  stderr = ''
  readonly ended: Promise<Ended>

  constructor(readonly child: ChildProcess) {
    child.stdout?.on('data', chunk => {
      this.stdout += chunk
    })
    child.stderr?.on('data', chunk => {
      this.stderr += chunk
    })
    this.ended = once(child, 'close').then(([code]) => ({ code, stdout: this.stdout, stderr: this.stderr }))
  }

  /** Resolves once either stream has said it. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const seen = (): RegExpExecArray | null => pattern.exec(this.stdout) ?? pattern.exec(this.stderr)
    const over = AbortSignal.timeout(PATIENCE)
    const done = this.ended.then(() => undefined)
    for (;;) {
      const found = seen()
      if (found) return found
      const more = [this.child.stdout, this.child.stderr].flatMap(stream =>
        stream ? [once(stream, 'data', { signal: over })] : [],
      )
      const ended = await Promise.race([...more, done])
      for (const one of more) one.catch(() => {})
      if (ended === undefined && !seen()) throw new Error(`it never said ${pattern}:\n${this.stdout}\n${this.stderr}`)
    }
  }
}

/** A place to run commands in: a working directory and a data directory of a test's own, and no settings around. */
export class Shell {
  readonly root = tempFolder('cli')
  readonly cwd = join(this.root, 'work')
  readonly dataDir = join(this.root, 'data')
  readonly #running = new Set<Started>()

  constructor() {
    mkdirSync(this.cwd)
  }

  write(name: string, text: string): string {
    const file = join(this.cwd, name)
    writeFileSync(file, text)
    return file
  }

  read = (name: string): string => readFileSync(join(this.cwd, name), 'utf8')

  /** `input` is what stdin says; without it there is none. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}, input?: string): Started {
    const around = Object.entries(process.env).filter(([name]) => !name.startsWith('SERVICE_'))
    const child = spawn(process.execPath, [...SOURCES, main, ...args], {
      cwd: this.cwd,
      env: { ...Object.fromEntries(around), SERVICE_DATA_DIR: this.dataDir, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    child.stdin?.end(input)
    const started = new Started(child)
    this.#running.add(started)
    void started.ended.then(() => this.#running.delete(started))
    return started
  }

  async run(args: readonly string[], env: Readonly<Record<string, string>> = {}, input?: string): Promise<Ended> {
    return this.start(args, env, input).ended
  }

  readonly close = opened(async () => {
    const left = [...this.#running]
    for (const { child } of left) child.kill('SIGKILL')
    await Promise.all(left.map(({ ended }) => ended))
  })
}

/** Runs with a shell that is gone afterwards, with all that it started. */
export const inShell = (run: (shell: Shell) => Promise<void>) => async (): Promise<void> => {
  const shell = new Shell()
  try {
    await run(shell)
  } finally {
    await shell.close()
  }
}
