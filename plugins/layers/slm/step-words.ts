import { type StepWords, type WordTable, wordsIn } from 'deflector/facets/step-words'

const WORDS: WordTable = {
  complex: 'left it to the next layer, as its classifier says it is complex',
  'complex no_label': 'left it to the next layer: its classifier named no class',
  'complex unsure': 'left it to the next layer: its classifier was not sure enough',
  model_down: 'did not ask its model, which failed lately',
  model_late: 'asked its model, which took too long',
  model_failed: 'asked its model, which failed',
  model_refused: 'asked its model, which did not take the request',
  model_left: 'asked its model, and the client left',
  model_busy: 'did not ask its model: enough requests wait for it',
}

/** Why a request is not one for a small model. */
const DECLINED: WordTable = {
  named_provider: 'the request names its provider',
  vendor_state: 'it is about state or a check at a vendor, or has it act',
  vendor_fields: 'it has fields that only a vendor knows',
  long: 'it is too long',
  tools: 'it has tools',
  unreadable: 'it cannot be read here',
  not_text: 'it is not text alone',
  no_question: 'it does not end with a question of the user',
  more_than_text: 'it asks for more than one text',
  schema: 'it asks for a schema that cannot be checked',
  reasoning: 'it asks for reasoning',
  odd_limit: 'its limit of tokens is no number above 0',
}

/** What was wrong with an answer of a small model. */
const REJECTED: WordTable = {
  cut_off: 'it was cut off',
  short: 'it was too short',
  uncertain: 'it began with doubt',
  reasoning: 'it held reasoning',
  not_json: 'it was not the JSON that was asked for',
  open_fence: 'a code block had no end',
}

/** The notes of this layer in words. */
export function readStep(outcome: string): StepWords | undefined {
  const words = wordsIn(WORDS, outcome) ?? wordsOf(outcome)
  return words === undefined ? undefined : { words }
}

function wordsOf(outcome: string): string | undefined {
  const [kind = '', reason = ''] = outcome.split(' ')
  const plain = reason.replaceAll('_', ' ')
  if (kind === 'declined') return `did not ask its model: ${wordsIn(DECLINED, reason) ?? plain}`
  if (kind === 'rejected') return `rejected the answer of its model: ${wordsIn(REJECTED, reason) ?? plain}`
  if (kind === 'simple') return `answered what its classifier calls a ${reason === 'simple' ? 'simple request' : plain}`
  return undefined
}
