import type { Plugin, Role } from './plugin.ts'

/** A plugin as the pipeline file named it. */
export interface Found {
  readonly plugin: Plugin
  /** Options that an alias brings along (`use: groq`); the instance's own go on top. */
  readonly preset: Readonly<Record<string, unknown>>
  readonly origin: 'built-in' | 'path' | 'package'
  readonly file: string
}

export interface Loader {
  /** `use` is a built-in name or alias, a path (relative to `fromDir`) or a package. Throws `LoadError`. */
  load(role: Role, use: string, fromDir: string): Promise<Found>
  /** Built-in names and aliases of a role, sorted. */
  names(role: Role): Promise<string[]>
}

/** Why a plugin could not be had: not there, did not compile, is no plugin, plays another role. */
export class LoadError extends Error {
  override readonly name = 'LoadError'
  constructor(
    readonly code: 'unknown_plugin' | 'broken_plugin' | 'not_a_plugin' | 'wrong_role',
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options)
  }
}
