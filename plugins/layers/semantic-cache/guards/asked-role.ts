import { fact } from '../analysis.ts'
import type { Token } from '../token.ts'
import { FUNCTION_WORDS } from '../words/function-words.ts'
import type { Guard } from './guard.ts'
import { BE, CONTENT_VERBS, PARTICIPLE, root } from './verbs.ts'

const AUXILIARY = new Set('do does did can could will would shall should may might must'.split(' '))
const ASKED = new Set(['who', 'whom', 'what', 'which'])

/** `who owns the shop` asks for the doer, `who does the shop own` for whom it is done to. */
export const askedRole: Guard = (a, b) => {
  const left = askedFor(a)
  const right = askedFor(b)
  return left && right && left.deed === right.deed && left.doer !== right.doer ? 'order' : undefined
}

interface Asked {
  readonly deed: string
  readonly doer: boolean
}

const askedFor = fact(({ tokens }): Asked | undefined => {
  if (!ASKED.has(tokens[0]?.text ?? '')) return undefined
  const kind = tokens[0]?.text === 'which' || tokens[0]?.text === 'what'
  // `which company owns`, `what shop does`: the kind that is asked for goes before.
  const second = tokens[1]?.text ?? ''
  const at = kind && !AUXILIARY.has(second) && !BE.has(second) && isAuxiliary(tokens[2]) ? 2 : 1
  const helper = tokens[at]?.text ?? ''
  if (BE.has(helper)) {
    const verb = tokens.findIndex(({ text }, i) => i > at && PARTICIPLE.test(text))
    const one = tokens[verb]
    if (!one) return undefined
    // `who was A owned by` asks for the doer, `who is owned by A` does not.
    if (verb === at + 1) return tokens[verb + 1]?.text === 'by' ? { deed: root(one.stem), doer: false } : undefined
    return tokens[verb + 1]?.text === 'by' && verb + 2 >= tokens.length
      ? { deed: root(one.stem), doer: true }
      : undefined
  }
  if (AUXILIARY.has(helper)) {
    const last = tokens.findLast(one => isDeed(one))
    return last && tokens.length - at > 2 ? { deed: root(last.stem), doer: false } : undefined
  }
  const verb = tokens[kind && tokens.length > 3 && !isVerb(tokens[1]) ? 2 : 1]
  return verb && isDeed(verb) ? { deed: root(verb.stem), doer: true } : undefined
})

const isAuxiliary = (one: Token | undefined): boolean =>
  one !== undefined && (AUXILIARY.has(one.text) || BE.has(one.text))
const isDeed = ({ kind, text, stem: own }: Token): boolean =>
  kind === 'word' && (!FUNCTION_WORDS.has(text) || CONTENT_VERBS.has(own))
/** `what causes fires`, and not `which company owns`. */
const isVerb = (one: Token | undefined): boolean => one !== undefined && /(?:s|ed)$|^hit$|^made$/.test(one.text)
