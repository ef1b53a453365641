import { limitName, type PassedLimit, shownAmount } from './limit.ts'

/** A call that a limit refuses, with what stands against it, in the unit of the limit. */
export interface Refusal extends PassedLimit {
  /** What was settled. */
  readonly used: number
  /** What calls on their way may take. */
  readonly reserved: number
  /** What this call may take. */
  readonly asked: number
}

/** For the client. `shrinks`: a call with a smaller answer would pass. */
export function refusalText(holder: string, refused: Refusal, shrinks: boolean): string {
  const { unit, limit, used, reserved, asked } = refused
  const what = `the ${limitName(refused)} of ${holder}`
  const end = new Date(refused.endsAt).toISOString()
  const of = (count: number): string => shownAmount(unit, count)
  if (used >= limit) return `${what} is reached until ${end}: ${of(used)} of ${of(limit)} are used`
  const parts = [
    `${of(used)} of ${of(limit)} are used`,
    ...(reserved > 0 ? [`calls on their way may take ${of(reserved)}`] : []),
    `this one may take ${of(asked)}`,
  ]
  const hint = shrinks ? '; a smaller max_tokens would pass' : ''
  return `${what} has no room for this call until ${end}: ${parts.join(', ')}${hint}`
}
