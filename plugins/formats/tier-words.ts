import type { Chat, Serving } from 'deflector'

/** A dialect's words for classes of service, by ours. What is not among them is not said. */
export type TierWords = Readonly<Record<string, string>>

export const tierWord = ({ tier }: Serving = {}, words: TierWords): string | undefined =>
  tier === undefined ? undefined : words[tier]

export function servingOf(word: unknown, words: TierWords): Pick<Chat, 'serving'> {
  const said = typeof word === 'string' ? word.toLowerCase() : undefined
  const tier = Object.keys(words).find(each => words[each] === said)
  return tier === undefined ? {} : { serving: { tier } }
}
