import type { Plugin } from '../plugin.ts'
import type { Role } from '../role.ts'
import type { ProblemCode } from './problems.ts'

/** 1-based. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** One finding in a pipeline file. */
export interface Problem extends Position {
  readonly code: ProblemCode
  readonly severity: 'error' | 'warning'
  /** What is wrong and what to do. */
  readonly message: string
  readonly file: string
  /** The setting that the wrong value came out of, and what is wrong without where that stands. */
  readonly of?: { readonly setting: string; readonly message: string }
}

/** One declared plugin. */
export interface Instance {
  readonly role: Role
  readonly name: string
  readonly plugin: Plugin
  /** Where a plugin from outside was loaded from; absent for a built-in one. */
  readonly file?: string
  /** As the plugin's zod schema gave them. */
  readonly options: unknown
  /** The flow a surface feeds. */
  readonly flow?: string
  readonly at: Position
}

export interface Pipeline {
  readonly file: string
  readonly instances: Readonly<Record<Role, ReadonlyMap<string, Instance>>>
  /** Layer instance names, in order. */
  readonly flows: ReadonlyMap<string, readonly string[]>
}

/** What a value of a pipeline file came out of. */
export interface ValueSource {
  /** The setting, or the part of it, by the name that its user knows: `fallback_providers[0].provider`. */
  readonly setting: string
  /** Where it was set or could be set: a clause for messages. */
  readonly clause: string
}

/** The source of a setting that a pipeline file names, or of the part at `path`; `undefined` where nothing is known of it. */
export type SourceOf = (setting: string, path: readonly PropertyKey[]) => ValueSource | undefined

/** Settings by their dotted key (`exact_cache.provider`). */
export type Settings = Readonly<Record<string, unknown>>
