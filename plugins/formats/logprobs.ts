import { isObject, type JsonObject, type TokenLogprob } from 'deflector'

/** Probabilities of tokens as chat-completions and responses write them. `undefined` where there are none. */
export function decodeLogprobs(given: unknown): readonly TokenLogprob[] | undefined {
  const list = Array.isArray(given) ? given.flatMap(each => decodeLogprob(each) ?? []) : []
  return list.length === 0 ? undefined : list
}

function decodeLogprob(given: unknown): TokenLogprob | undefined {
  if (!isObject(given) || typeof given.token !== 'string' || typeof given.logprob !== 'number') return undefined
  const top = Array.isArray(given.top_logprobs) ? given.top_logprobs.flatMap(each => decodeLogprob(each) ?? []) : []
  return {
    token: given.token,
    logprob: given.logprob,
    ...(top.length > 0 && { top: top.map(({ token, logprob }) => ({ token, logprob })) }),
  }
}

const withBytes = ({ token, logprob }: Pick<TokenLogprob, 'token' | 'logprob'>): JsonObject => ({
  token,
  bytes: [...Buffer.from(token)],
  logprob,
})

export const encodeLogprob = (given: TokenLogprob): JsonObject => ({
  ...withBytes(given),
  top_logprobs: (given.top ?? []).map(withBytes),
})
