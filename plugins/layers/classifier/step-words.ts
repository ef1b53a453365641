import { type StepWords, type WordTable, wordsIn } from 'deflector/facets/step-words'

const WORDS: WordTable = {
  named: 'left the route alone, as the client named its provider',
  no_artifact: 'chose no route: there is no artifact that fits the embedder',
  no_text: 'chose no route: the request has no text to classify',
  no_vector: 'chose no route: the embedder gave no vector in time',
  low_confidence: 'chose no route: the classification is not sure enough',
  no_rule: 'chose no route: no rule matches',
}

const ROUTED = 'routed '

/** What the layer notes where a rule chose the route. */
export const routedNote = (rule: string): string => `${ROUTED}${rule}`

/** The notes of this layer in words. */
export function readStep(outcome: string): StepWords | undefined {
  const words = outcome.startsWith(ROUTED)
    ? `chose the route by the rule "${outcome.slice(ROUTED.length)}"`
    : wordsIn(WORDS, outcome)
  return words === undefined ? undefined : { words }
}
