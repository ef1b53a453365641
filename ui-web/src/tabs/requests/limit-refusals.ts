import type { StoryAnswer } from './story-answer.ts'

type Attempt = NonNullable<StoryAnswer['attempts']>[number]
type Step = NonNullable<StoryAnswer['trail']>[number]

const REASONS = new Set<string | null>(['quota', 'quota_blocked'])
const LIMITED = 'quota_blocked'
/** A key's own limits refuse at the door. */
const ADMISSION = 'l0'

/** Such an attempt ended before its vendor was called. */
export const isUncalled = ({ outcome }: Attempt): boolean => outcome === 'refused'
export const isByLimit = (attempt: Attempt): boolean => isUncalled(attempt) && REASONS.has(attempt.reason)

/** Whose limits refused a request or one of its calls. */
export interface Holder {
  readonly words: string
  /** As `quota_status` calls it. */
  readonly name: string
}

/** Empty where no limit refused anything. */
export function holdersOf({ error, final_layer, principal, attempts = [] }: StoryAnswer): readonly Holder[] {
  if (error === LIMITED && final_layer === ADMISSION)
    return principal ? [{ words: `gateway key ${principal}`, name: `key ${principal}` }] : []
  const providers = new Set(attempts.filter(isByLimit).map(({ provider }) => provider))
  return [...providers].map(name => ({ words: `provider ${name}`, name }))
}

/** The trail, in which a step that refused for a limit says so; the gateway notes each error as `failed`. */
export function trailOf({ error, trail = [], attempts = [] }: StoryAnswer): readonly Step[] {
  const uncalled = attempts.filter(isUncalled)
  const areByLimit = uncalled.length > 0 && uncalled.every(isByLimit)
  const isRefusal = ({ hook, outcome }: Step): boolean =>
    outcome === 'failed' && ((hook === 'attempt' && areByLimit) || (hook === 'receive' && error === LIMITED))
  return trail.map(step => (isRefusal(step) ? { ...step, outcome: 'refused' } : step))
}

/** What the client was told, where the log keeps bodies. Each dialect has its own form around the words. */
export function toldOf({ error, response_body }: StoryAnswer): string | undefined {
  if (error !== LIMITED || !response_body) return undefined
  const quoted = /"message"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(response_body)?.[1]
  return quoted === undefined ? undefined : String(JSON.parse(quoted))
}
