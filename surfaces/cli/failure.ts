import { SettingsError } from '../../config/load.ts'
import { PipelineError } from '../../core/gateway.ts'

/** A command failed. Each line says what is wrong and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  constructor(...lines: readonly string[]) {
    super(lines.join('\n'))
  }
}

/** A command failed, and its log already says why. */
export class LoggedError extends Error {
  override readonly name = 'LoggedError'
}

/** The message for a person: one line for each problem, never a stack. */
export function failureLines(error: unknown): readonly string[] {
  if (error instanceof SettingsError) return error.problems
  const message = error instanceof Error ? error.message : String(error)
  const lines = message.split('\n').filter(line => line.trim() !== '')
  // Only these two hold one problem per line; for other errors the first line is enough.
  return error instanceof PipelineError || error instanceof CommandError ? lines : lines.slice(0, 1)
}

/** A failed command exits after this time, in milliseconds, even with open handles. */
const EXIT_DELAY_MS = 1_000

/** Runs a command to its end; a failure becomes lines on stderr and exit code 1. */
export async function run(command: () => Promise<void> | void): Promise<void> {
  try {
    await command()
  } catch (error) {
    const lines = error instanceof LoggedError ? [] : failureLines(error)
    for (const line of lines) process.stderr.write(`deflector: ${line}\n`)
    process.exitCode = 1
    // A plugin that failed half-way may have left something open.
    setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
  }
}
