import type { Chat, Serving } from 'deflector'

/** A dialect's words for classes of service, by ours. What is not among them is not said. */
export type TierWords = Readonly<Record<string, string>>

export const tierWord = ({ tier }: Serving = {}, words: TierWords): string | undefined =>
  tier === undefined ? undefined : words[tier]

/** Our word for a dialect's; `undefined` for one that we do not know. */
export function tierOf(word: unknown, words: TierWords): string | undefined {
  const said = typeof word === 'string' ? word.toLowerCase() : undefined
  return Object.keys(words).find(each => words[each] === said)
}

export function servingOf(word: unknown, words: TierWords): Pick<Chat, 'serving'> {
  const tier = tierOf(word, words)
  return tier === undefined ? {} : { serving: { tier } }
}
