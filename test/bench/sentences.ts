import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

/** Texts of the kind that people ask with, beside the repository: for measuring only. */
const CORPUS = '../shared/data/corpus'
const FILES = ['open', 'qqp', 'restricted'].map(name => `${CORPUS}/corpus_${name}.txt.gz`)

/** Numbers from 0 to 1, always the same ones for a seed. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

/** Different sentences of the corpus, in an order of the seed's; `undefined` where the corpus is absent. */
export function corpusSentences(random: () => number): string[] | undefined {
  if (!FILES.every(existsSync)) return undefined
  const lines = FILES.flatMap(file => gunzipSync(readFileSync(file)).toString('utf8').split('\n').filter(Boolean))
  for (let i = lines.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1))
    ;[lines[i], lines[j]] = [lines[j] ?? '', lines[i] ?? '']
  }
  return lines
}

const FRAMES = [
  'how do I {}',
  'what is the best way to {}',
  'please {}',
  'can you {}',
  'I want to {}',
  'is it possible to {}',
]
FRAMES.push('why should I {}', 'tell me when to {}', 'write a script to {}', 'who can help me to {}')
const VERBS = [
  'cancel',
  'find',
  'rename',
  'compare',
  'order',
  'translate',
  'delete',
  'explain',
  'repair',
  'sort',
  'paint',
]
VERBS.push('insure', 'cook', 'download', 'measure', 'sell', 'lock', 'encrypt', 'schedule', 'print', 'water', 'tune')
const THINGS = [
  'my credit card',
  'a python list',
  'the train ticket',
  'three old photos',
  'an apple tree',
  'the database',
]
THINGS.push(
  'a birthday cake',
  'the front door',
  'my tax return',
  'a second passport',
  'the coffee machine',
  'two guitars',
)
THINGS.push(
  'a docker image',
  'the weekly report',
  'an electric car',
  'the garden fence',
  'a css file',
  'my email password',
)
THINGS.push('the hotel room', 'a chess game', 'the phone bill', 'a winter coat', 'the git branch', 'a bottle of milk')
const ENDS = [
  '',
  'today',
  'in Paris',
  'without a receipt',
  'on a mac',
  'for my daughter',
  'before Monday',
  'by hand',
  'in bulk',
]
ENDS.push(
  'under 50 euros',
  'with a neighbour',
  'from the command line',
  'after the update',
  'while travelling',
  'safely',
)
ENDS.push('for a school project', 'over the phone', 'in the rain', 'if the screen is broken', 'without an account')

/** Different sentences made of a frame, a verb, a thing and an end: about 100,000, alike in the ways that requests are. */
export function madeSentences(random: () => number, count: number): string[] {
  const made = new Set<string>()
  const one = (list: readonly string[]): string => list[Math.floor(random() * list.length)] ?? ''
  const most = FRAMES.length * VERBS.length * THINGS.length * ENDS.length
  while (made.size < Math.min(count, most * 0.9))
    made.add(
      one(FRAMES)
        .replace('{}', `${one(VERBS)} ${one(THINGS)} ${one(ENDS)}`)
        .trim(),
    )
  return [...made]
}

/** The same request in slightly other words: with manners, or with a word less. */
export function reworded(text: string, random: () => number): string {
  if (random() < 0.5) return `could you please tell me: ${text}`
  const words = text.split(' ')
  if (words.length < 3) return `${text}, please`
  words.splice(Math.floor(random() * words.length), 1)
  return words.join(' ')
}
