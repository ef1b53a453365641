import { SettingsError } from '../../config/load.ts'
import { PipelineError } from '../../core/gateway.ts'

/** A command cannot do what it was asked. One line each: what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
  }
}

/** A command cannot do what it was asked, and its log says why already. */
export class LoggedError extends Error {
  override readonly name = 'LoggedError'
}

/** What a person is told: one line for each problem, never a stack. */
export function failureLines(error: unknown): readonly string[] {
  if (error instanceof SettingsError) return error.problems
  const message = error instanceof Error ? error.message : String(error)
  const lines = message.split('\n').filter(line => line.trim() !== '')
  // Only these two are made of one problem a line; elsewhere the first line says it all.
  return error instanceof PipelineError || error instanceof CommandError ? lines : lines.slice(0, 1)
}

/** How long what a failed command left open may keep the process, in milliseconds. */
const LEFTOVERS = 1_000

/** Runs a command to its end; a failure becomes lines on stderr and exit code 1. */
export async function run(command: () => Promise<void> | void): Promise<void> {
  try {
    await command()
  } catch (error) {
    const lines = error instanceof LoggedError ? [] : failureLines(error)
    for (const line of lines) process.stderr.write(`deflector: ${line}\n`)
    process.exitCode = 1
    // A plugin that failed half-way may have left something open.
    setTimeout(() => process.exit(), LEFTOVERS).unref()
  }
}
