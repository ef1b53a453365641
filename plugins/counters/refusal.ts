import { limitName, type PassedLimit, shownAmount } from './limit.ts'

/** A call that a limit refuses, with what stands against it, in the unit of the limit. */
export interface Refusal extends PassedLimit {
  /** What was settled. */
  readonly used: number
  /** What calls on their way may take. */
  readonly reserved: number
  /** What this call may take. */
  readonly asked: number
  /** Is that more than the whole limit, so that no wait helps? */
  readonly neverFits: boolean
}

/** For the client. `shrinks`: a call with a smaller answer would pass. */
export function refusalText(holder: string, refused: Refusal, shrinks: boolean): string {
  const { unit, limit, used, reserved, asked, neverFits } = refused
  const what = `the ${limitName(refused)} of ${holder}`
  const end = new Date(refused.endsAt).toISOString()
  const of = (count: number): string => shownAmount(unit, count)
  const hint = shrinks ? '; a smaller max_tokens would pass' : ''
  if (limit === 0) return `${what} is 0, so no call passes it`
  if (neverFits)
    return `${what} is too low for this call: this call may take ${of(asked)}, more than the whole limit of ${of(limit)}${hint}`
  if (used >= limit) return `${what} is reached until ${end}: ${of(used)} of ${of(limit)} are used`
  const parts = [
    `${of(used)} of ${of(limit)} are used`,
    ...(reserved > 0 ? [`calls on their way may take ${of(reserved)}`] : []),
    `this one may take ${of(asked)}`,
  ]
  return `${what} has no room for this call until ${end}: ${parts.join(', ')}${hint}`
}
