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

/**
 * Where a setting, or the part of it at `path`, was set or could be set: a clause for messages. `undefined` where nothing is
 * known of it.
 */
export type SourceOf = (setting: string, path: readonly PropertyKey[]) => string | undefined

/** Settings by their dotted key (`exact_cache.provider`). */
export type Settings = Readonly<Record<string, unknown>>
