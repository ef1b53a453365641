import type { Flow } from '../../../core/flow.ts'
import { PROBLEMS, type ProblemCode } from '../../../core/pipeline/problems.ts'
import type { Instance, Pipeline, Position, Problem } from '../../../core/pipeline/types.ts'
import type { Role } from '../../../core/role.ts'
import type { Routing } from '../../../core/routing.ts'

/** Who asked for what while the pipeline was wired. */
export interface Ask {
  readonly by: Instance
  readonly role: Role
  readonly name: string
}

/** Who offered something under a facet. */
export interface Offered {
  readonly by: Instance
  readonly facet: string
}

/** A pipeline after its plugins were applied, and before any was started. */
export interface Wired {
  readonly pipeline: Pipeline
  readonly flows: ReadonlyMap<string, Flow>
  readonly routing: Routing
  readonly asks: readonly Ask[]
  readonly offered: readonly Offered[]
  /** What a provider that was asked for serves. */
  operationsOf(provider: string): readonly string[]
}

/** A finding as serious as the catalogue says. */
export const finding = ({ file }: Pipeline, code: ProblemCode, at: Position, message: string): Problem => ({
  line: at.line,
  column: at.column,
  file,
  severity: PROBLEMS[code].severity,
  code,
  message,
})
