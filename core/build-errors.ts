import { unforeseen } from './errors.ts'
import type { Instance, Problem } from './pipeline/types.ts'
import type { Role } from './role.ts'

/** A pipeline that reads well but does not fit together: a plugin names a store that the file does not declare. */
export class BuildError extends Error {
  override readonly name = 'BuildError'
  constructor(
    readonly problem: Problem,
    /** What was asked for and is not there. */
    readonly wanted: { readonly role: Role; readonly name: string },
  ) {
    super(problem.message)
  }
}

/** A plugin from outside threw while its generation was wired or started. */
export class PluginError extends Error {
  override readonly name = 'PluginError'
  /** For the log, beside the message. */
  readonly facts: Readonly<Record<string, unknown>>

  constructor({ role, name, file }: Instance, during: 'wire' | 'start', cause: unknown) {
    const what = cause instanceof Error ? cause.message : String(cause)
    super(`${role} "${name}" (${file}) did not ${during}: ${what}`, { cause })
    this.facts = { instance: name, file, ...unforeseen(cause) }
  }
}

/** What our own plugins throw names the setting at fault, and is all that the operator needs. */
export const blamed = (instance: Instance, during: 'wire' | 'start', error: unknown): unknown =>
  instance.file === undefined || error instanceof BuildError || error instanceof PluginError
    ? error
    : new PluginError(instance, during, error)
