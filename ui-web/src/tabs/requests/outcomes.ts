/** Outcomes of steps in words. What is not known here is shown as the layer wrote it. */

/** A stored prompt that a layer compared with the request's. */
export interface Neighbour {
  readonly similarity: string
  /** That both have the same answer; a rule refuses without one. */
  readonly probability: string | undefined
  /** Id of the request that stored it. */
  readonly id: string
}

export interface OutcomeWords {
  readonly words: string
  readonly tone: 'good' | 'warn' | 'bad' | 'muted' | undefined
  readonly neighbour?: Neighbour
}

const WORDS: Readonly<Record<string, readonly [string, OutcomeWords['tone']]>> = {
  answered: ['Answered', 'good'],
  passed: ['Passed it on', 'muted'],
  failed: ['Failed', 'bad'],
  hit: ['Hit', 'good'],
  miss: ['Miss: nothing is stored for it', undefined],
  'miss same_words': ['Miss: stored for other parameters only', undefined],
  'miss busy': ['Miss: the semantic engine was busy', 'warn'],
  'miss down': ['Miss: the semantic engine does not run', 'bad'],
  'miss failed': ['Miss: a model failed', 'bad'],
  'failed model': ['Miss: the embedder gave no vector', 'bad'],
  stale: ['Miss: what is stored is too old', 'warn'],
  stored: ['Stored the answer', 'good'],
  store_failed: ['Could not store the answer', 'bad'],
  not_wanted: ['Not used: the client asked for no cache', undefined],
  not_storable: ['Not stored: the answer is not one to keep', undefined],
  not_replayable: ['Not used: the stored answer has another form', undefined],
  not_held: ['Not used: its vendor no longer holds the state', undefined],
  vendor_state: ['Not used: the request refers to state at a vendor', undefined],
  of_this_run: ['Not stored: the answer is of this run only', undefined],
  refused: ['Refused: a limit has no room for it', 'bad'],
  joined: ['Joined the same call of another request', 'good'],
  shadow: ['A hit that was not served, to check it', 'warn'],
  similar: ['Hit: the same question in other words', 'good'],
  canonical: ['Hit: the same question, spelled differently', 'good'],
}

/** `<reason> <similarity> [<probability>] <id>`, as the semantic cache notes what it compared. */
const COMPARED = /^(.+?) (-?\d\.\d{4})(?: (\d\.\d{4}))? (\S+)$/

export function outcomeOf(outcome: string): OutcomeWords {
  const [, reason, similarity, probability, id] = COMPARED.exec(outcome) ?? []
  const { words, tone } = wordsOf(reason ?? outcome)
  const isByRule = reason?.startsWith('refused ') && reason !== 'refused improbable'
  const judged = isByRule ? undefined : probability
  return { words, tone, ...(similarity && id && { neighbour: { similarity, probability: judged, id } }) }
}

/** What a rule says of the nearest stored prompt. */
const RULES: Readonly<Record<string, string>> = {
  numbers: 'has other numbers',
  units: 'has other units',
  identifiers: 'has other paths, versions or names of code',
  symbols: 'has other symbols',
  quoted: 'has other quotations',
  given_text: 'is about another given text',
  letter: 'has another letter',
  accents: 'has other accents',
  short_name: 'has another short name',
  name: 'has other names',
  order: 'has two things the other way round',
  contrary: 'asks for the opposite',
}

/** Why the semantic cache leaves a prompt alone. */
const SKIPPED: Readonly<Record<string, string>> = {
  volatile: 'its answer changes over time or should vary',
  leans: 'it leans on earlier turns',
  long: 'it is too long',
  not_text: 'it is not of text alone',
  tools: 'it has tools',
  schema: 'it asks for a schema',
  temperature: 'it asks for chance, by its temperature',
  vendor_state: 'it refers to state at a vendor',
  parted: 'an operator said that an answer was wrong for it',
}

function wordsOf(reason: string): OutcomeWords {
  const known = WORDS[reason]
  if (known) return { words: known[0], tone: known[1] }
  const [kind, ...rest] = reason.split(' ')
  const rule = rest.join(' ')
  const plain = rule.replaceAll('_', ' ')
  if (kind === 'refused' && rule === 'improbable')
    return { words: 'Miss: the nearest is not likely to have the same answer.', tone: undefined }
  if (kind === 'refused') {
    const why = RULES[rule] ?? 'is another question'
    return { words: `Miss: the nearest ${why} (rule “${plain}”).`, tone: undefined }
  }
  if (kind === 'skipped') return { words: `Not looked up: ${SKIPPED[rule] ?? plain}`, tone: undefined }
  return { words: reason, tone: undefined }
}
