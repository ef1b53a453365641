/** The structure of a text in numbers: what a vector of its words does not tell. */

/** Characters that are looked at; what is behind them says little of the task. */
const LONGEST = 8000

interface Seen {
  readonly text: string
  readonly lines: readonly string[]
  readonly words: number
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0
/** Sizes are told apart by their order. */
const size = (amount: number): number => Math.log1p(amount)

const CODE_LINE = /[{};]\s*$|^\s*(?:def|class|import|const|let|var|function|return|if|for|SELECT|@\w+)\b.*[(:={;]/
const FAULT_LINE = /^\s+at \S|Traceback|\b\w*(?:Error|Exception)\b:|\bERROR\b|\bpanic\b|\bFAIL(?:ED)?\b|exit code \d/
/** From its first letter to its end. One expression for path and ending would take quadratic time where no ending is. */
const PATH = /\w[\w./-]*/g
const FILE =
  /\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|rb|cs|cpp|[ch]|sql|ya?ml|json|toml|md|sh|tf|css|html|vue|swift|php|lock|env)\b/
const QUESTION = /^\s*(?:what|why|how|when|where|which|who|is|are|can|could|does|do|did|should|would)\b/i

const MEASURES = {
  characters: ({ text }) => size(text.length),
  words: ({ words }) => size(words),
  lines: ({ lines }) => size(lines.length),
  sentences: ({ text }) => size(count(text, /[.!?](?:\s|$)/g)),
  list_items: ({ lines }) => size(lines.filter(line => /^\s*(?:[-*+]|\d+[.)])\s/.test(line)).length),
  commas: ({ text }) => size(count(text, /,\s|;\s| and /g)),
  files: ({ text }) => size((text.match(PATH) ?? []).filter(path => FILE.test(path)).length),
  fences: ({ text }) => size(count(text, /```/g)),
  code_lines: ({ lines }) => size(lines.filter(line => CODE_LINE.test(line)).length),
  code_share: ({ text }) => count(text, /[{}()[\]<>=;_|&$]/g) / (text.length + 1),
  diff_lines: ({ lines }) => size(lines.filter(line => /^(?:[+-](?![+-]*\s*$)\S|@@|diff --git)/.test(line)).length),
  fault_lines: ({ lines }) => size(lines.filter(line => FAULT_LINE.test(line)).length),
  numbers: ({ text }) => size(count(text, /\b\d+\b/g)),
  names: ({ text }) => size(count(text, /\b(?:[a-z]+[A-Z]\w*|\w+_\w+|[A-Z]\w+[A-Z]\w*)\b/g)),
  question_marks: ({ text }) => size(count(text, /\?/g)),
  begins_as_question: ({ text }) => (QUESTION.test(text) ? 1 : 0),
} as const satisfies Record<string, (seen: Seen) => number>

export type Shape = keyof typeof MEASURES

/** Names of the structural features; an artifact lists those that it uses. */
export const SHAPES = Object.keys(MEASURES) as [Shape, ...Shape[]]

/** The named features of a text. */
export function shapeOf(whole: string, names: readonly Shape[]): number[] {
  const text = whole.slice(0, LONGEST)
  const seen: Seen = { text, lines: text.split('\n'), words: count(text, /\S+/g) }
  return names.map(name => MEASURES[name](seen))
}

/** Code among prose: its words are not the user's. */
const CODE = /[{};=<>]|^\s{2,}|^[-+]\s/
const ENDING = /(?:ing|ed|es|s|e)$/
/** Shorter words have no ending that could go. */
const SHORTEST_STEM = 5

/** Words in lower case without their endings; a question mark counts as one. */
const stemsIn = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z][a-z'+#]*|[?!]/g) ?? []).map(word =>
    word.length < SHORTEST_STEM ? word : word.replace(ENDING, ''),
  )

/**
 * The words that a text has, each once: `fix`, pairs of neighbours (`fix thi`), those of the first sentence once more
 * (`ask:fix`), as it mostly says what is wanted, and those at the very beginning (`^fix`, `^fix thi`).
 */
export function wordsOf(whole: string): Set<string> {
  const lines = whole.slice(0, LONGEST).trim().split('\n')
  const prose = lines.filter((line, at) => at === 0 || !CODE.test(line)).join('\n')
  const stems = stemsIn(prose)
  const [first] = stems
  const pairs = stems.slice(1).map((stem, at) => `${stems[at]} ${stem}`)
  const asked = stemsIn(prose.match(/^[^.!?:\n]*/)?.[0] ?? '').map(stem => `ask:${stem}`)
  const beginning = [first, pairs[0]].flatMap(words => (words === undefined ? [] : `^${words}`))
  return new Set([...beginning, ...asked, ...stems, ...pairs])
}
