/** Why a layer did what it did, in words. Plain outcomes, and those of plugins from outside, have none. */

/** A stored prompt that a layer compared with the request's. */
interface Neighbour {
  readonly similarity: string
  /** That both have the same answer; a rule refuses without asking for it. */
  readonly probability: string | undefined
  /** Id of the request that stored it. */
  readonly id: string
}

export interface OutcomeWords {
  /** As the layer noted it, without what it compared. */
  readonly code: string
  /** A sentence of which the layer is the subject. */
  readonly words?: string | undefined
  /** What was compared: the figures, and the request with the whole id. */
  readonly compared: readonly string[]
}

/** `<reason> <similarity> [<probability>] <id>`, as the semantic cache notes what it compared. */
const COMPARED = /^(.+?) (-?\d\.\d{4})(?: (\d\.\d{4}))? (\S+)$/

export function outcomeWords(outcome: string): OutcomeWords {
  const [, code = outcome, similarity, probability, id] = COMPARED.exec(outcome) ?? []
  if (similarity === undefined || id === undefined) return { code, words: wordsOf(code), compared: [] }
  return { code, words: wordsOf(code) ?? code, compared: comparedLines(code, { similarity, probability, id }) }
}

const IMPROBABLE = 'refused improbable'

/** The trail does not hold the bar itself: it rises with the number of entries. */
function comparedLines(code: string, { similarity, probability, id }: Neighbour): string[] {
  const byRule = code.startsWith('refused ') && code !== IMPROBABLE
  const judged = byRule ? '; a rule refuses whatever the probability' : probability && `, probability ${probability}`
  const bar = code === IMPROBABLE ? ', below the bar ("deflector cache why" tells it)' : ''
  return [`similarity ${similarity}${judged ?? ''}${bar}`, `stored by request ${id}`]
}

const WORDS: Readonly<Record<string, string>> = {
  'miss same_words': 'knows the prompt, but with other parameters only',
  'miss busy': 'compared nothing: its engine was busy',
  'miss down': 'compared nothing: its engine does not run',
  'miss failed': 'compared nothing: one of its models failed',
  'failed model': 'compared nothing: its embedder gave no vector',
  stale: 'has an answer that is too old',
  store_failed: 'could not store the answer',
  not_wanted: 'was left out, as the client or the settings ask for it',
  not_storable: 'did not store the answer, which is not one to keep',
  not_replayable: 'has an answer that cannot be sent in the form that was asked for',
  not_held: 'has an answer whose state its vendor no longer holds',
  vendor_state: 'was left out: the request refers to state at a vendor',
  of_this_run: 'did not store the answer, which holds for this run of the tool only',
  joined: 'waited for the same call of another request',
  [IMPROBABLE]: 'served nothing: the nearest stored prompt is not likely enough to have the same answer',
  similar: 'served the answer to the same question in other words',
  canonical: 'served the answer to the same question, spelled in another way',
  shadow: 'had a hit, but asked the provider as well, to compare the answers',
}

/** What a rule says of the nearest stored prompt. */
const RULES: Readonly<Record<string, string>> = {
  numbers: 'has other numbers',
  units: 'has other units',
  identifiers: 'names other code, paths or versions',
  symbols: 'has other symbols',
  quoted: 'quotes something else',
  given_text: 'brings another text along',
  letter: 'has another single letter',
  accents: 'has other accents',
  short_name: 'has another short name',
  name: 'has other names',
  order: 'has two things the other way round',
  contrary: 'asks for the opposite',
}

/** Why the semantic cache leaves a prompt to the exact cache. */
const SKIPPED: Readonly<Record<string, string>> = {
  volatile: 'its answer changes over time or should vary',
  leans: 'it leans on what was said before',
  long: 'it is too long',
  long_or_code: 'it is too long, or code',
  not_text: 'it is not text alone',
  tools: 'it has tools',
  schema: 'it asks for a schema',
  temperature: 'its temperature asks for variety',
  vendor_state: 'it refers to state at a vendor',
  parted: 'an operator reported a wrong answer to it',
}

function wordsOf(code: string): string | undefined {
  const known = WORDS[code]
  if (known) return known
  const [kind, ...rest] = code.split(' ')
  const reason = rest.join(' ')
  if (reason === '') return undefined
  const plain = reason.replaceAll('_', ' ')
  if (kind === 'skipped') return `did not look the prompt up: ${SKIPPED[reason] ?? plain}`
  if (kind === 'refused' && reason !== 'to another')
    return `served nothing: the nearest stored prompt ${RULES[reason] ?? 'is another question'} (rule "${plain}")`
  return undefined
}
