const TEMPLATE = /\{\{|\{%|<%|<\?|\$\{/
/** `prettier-ignore`, `BEGIN:shared`, `/badges`, `@dialect`: spelled for a program. */
const NAME = /[\p{L}\d][-_:/.=][\p{L}\d]|^[/@#]\p{L}/u
/** `ALL-CONTRIBUTORS:START - do not remove`, `END generated part`: one of a pair, whatever else it says. */
const PAIRED = /^(?:\S*[\p{L}\d][:=]\p{L}|(?:START|BEGIN|END|STOP)\b)/u
/** Who reads instructions: what a comment says to them is no note for people. */
const READER =
  /\b(?:ai|llms?|models?|modell|modelo|modèle|assistants?|agents?|claude|codex|copilot|cursor|gemini|gpt)\b|模型|モデル/iu
/** A longer comment is a sentence. */
const MOST_WORDS = 4

/**
 * Is a comment a mark that a tool, a template or the model itself reads, and no note for people? Notes are sentences; marks
 * are one word, or a few with a name among them.
 */
export function isMark(comment: string): boolean {
  const said = comment.replace(/^\s*<!--|-->\s*$/g, '').trim()
  if (TEMPLATE.test(said) || PAIRED.test(said) || READER.test(said)) return true
  const words = said.split(/\s+/, MOST_WORDS + 1)
  if (words.length === 1) return said.length > 1
  return words.length <= MOST_WORDS && words.some(word => NAME.test(word))
}
