import { isObject, type JsonObject, type TokenLogprob } from 'deflector'

/** `logprobsResult` of a candidate: the tokens that were chosen, and the likeliest at each step. */
export function readLogprobs(value: unknown): TokenLogprob[] {
  if (!isObject(value) || !Array.isArray(value.chosenCandidates)) return []
  const steps: unknown[] = Array.isArray(value.topCandidates) ? value.topCandidates : []
  return value.chosenCandidates.flatMap((chosen: unknown, i): TokenLogprob[] => {
    const one = readOne(chosen)
    if (!one) return []
    const step = steps[i]
    const rivals = isObject(step) && Array.isArray(step.candidates) ? step.candidates : []
    const top = rivals.flatMap((rival: unknown) => readOne(rival) ?? [])
    return [{ ...one, ...(top.length > 0 && { top }) }]
  })
}

function readOne(value: unknown): { token: string; logprob: number } | undefined {
  if (!isObject(value) || typeof value.token !== 'string' || typeof value.logProbability !== 'number') return undefined
  return { token: value.token, logprob: value.logProbability }
}

/** The field of a candidate for these tokens; nothing where there are none. */
export function writeLogprobs(tokens: readonly TokenLogprob[]): JsonObject {
  if (tokens.length === 0) return {}
  return {
    logprobsResult: {
      topCandidates: tokens.map(({ top = [] }) => ({ candidates: top.map(writeOne) })),
      chosenCandidates: tokens.map(writeOne),
    },
  }
}

const writeOne = ({ token, logprob }: Pick<TokenLogprob, 'token' | 'logprob'>): JsonObject => ({
  token,
  logProbability: logprob,
})
