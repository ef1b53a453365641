import { type StepWords, type WordTable, wordsIn } from 'deflector/facets/step-words'
import { CACHE_WORDS } from 'deflector/formats/cache-words'

/** `<reason> <similarity> [<probability>] <id>`, see `noteNeighbour`. */
const COMPARED = /^(.+?) (-?\d\.\d{4})(?: (\d\.\d{4}))? (\S+)$/

const IMPROBABLE = 'refused improbable'

const WORDS: WordTable = {
  ...CACHE_WORDS,
  'miss same_words': 'knows the prompt, but with other parameters only',
  'miss busy': 'compared nothing: its engine was busy',
  'miss down': 'compared nothing: its engine does not run',
  'miss failed': 'compared nothing: one of its models failed',
  'failed model': 'compared nothing: its embedder gave no vector',
  shadow: 'had a hit, but asked the provider as well, to compare the answers',
  similar: 'served the answer to the same question in other words',
  canonical: 'served the answer to the same question, spelled in another way',
  [IMPROBABLE]: 'served nothing: the nearest stored prompt is not likely enough to have the same answer',
}

/** What a rule of the judge says of the nearest stored prompt. */
const RULES: WordTable = {
  numbers: 'has other numbers',
  units: 'has other units',
  identifiers: 'names other code, paths or versions',
  symbols: 'has other symbols',
  quoted: 'quotes something else',
  given_text: 'brings another text along',
  manners: 'asks about other words of manners',
  letter: 'has another single letter',
  accents: 'has other accents',
  short_name: 'has another short name',
  capitals: 'has other capitals',
  name: 'has other names',
  order: 'has two things the other way round',
  marks: 'ends with another mark',
  degree: 'compares in another way',
  contrary: 'asks for the opposite',
}

/** Why a prompt is left to the exact cache. */
const SKIPPED: WordTable = {
  volatile: 'its answer changes over time or should vary',
  leans: 'it leans on what was said before',
  worked_on: 'it is a text that the system prompt or an earlier turn gives to work on',
  long: 'it is too long',
  long_or_code: 'it is too long, or code',
  not_text: 'it is not text alone',
  tools: 'it has tools',
  schema: 'it asks for a schema',
  temperature: 'its temperature asks for variety',
  vendor_state: 'it is about state or a check at a vendor, or has it act',
  parted: 'an operator reported a wrong answer to it',
}

/** The notes of this layer in words. */
export function readStep(outcome: string): StepWords | undefined {
  const [, code = outcome, similarity, probability, id] = COMPARED.exec(outcome) ?? []
  const words = wordsOf(code)
  if (similarity === undefined || id === undefined) return words === undefined ? undefined : { words }
  // A rule refuses whatever the probability.
  const judged = probability !== undefined && (!code.startsWith('refused ') || code === IMPROBABLE)
  const neighbour = { similarity: Number(similarity), id, ...(judged && { probability: Number(probability) }) }
  return { words: words ?? code, neighbour }
}

function wordsOf(code: string): string | undefined {
  const known = wordsIn(WORDS, code)
  if (known !== undefined) return known
  const [kind = '', reason = ''] = code.split(' ')
  const plain = reason.replaceAll('_', ' ')
  if (kind === 'skipped') return `did not look the prompt up: ${wordsIn(SKIPPED, reason) ?? plain}`
  if (kind === 'refused')
    return `served nothing: the nearest stored prompt ${wordsIn(RULES, reason) ?? 'is another question'} (rule "${plain}")`
  return undefined
}
