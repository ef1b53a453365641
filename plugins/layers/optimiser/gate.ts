import type { Instruction } from 'deflector'

/** Characters at the head of a text that say what kind of text it is. */
const HEAD = 4_096
/** A prompt of a user that is shorter holds no instructions that would be worth the look. */
const LEAST_PROMPT = 200

const MARKUP = /^[ \t]*(?:#{1,6} |[-*+] |\d{1,3}[.)] |<|```|~~~|-{3}|\*{3}|_{3}|={3}|[─-▟])|<!--/m
const MARKUP_LINES = /^[ \t]*(?:#{1,6} |[-*+] |\d{1,3}[.)] |<\/?[A-Za-z])/gm
const ORDERS =
  /\b(?:you (?:are|must|should|will|can|may)|your (?:task|role|job|goal)|must|never|always|do not|don't|avoid|ensure|make sure|only|follow|respond|reply|answer|output|return|write|use)\b/gi
/** How instructions that stand in a user's prompt begin. */
const OPENING = /^\s*(?:#{1,3} |you are\b|your (?:task|role|job)\b|act as\b|<[a-z_-]+>|<!--|---\n)/i

/**
 * Is this a text of instructions, and not of talk? A system's text is one unless it is plain prose that orders nothing.
 * A user's prompt has to begin, and to go on, as instructions do.
 */
export function isInstructional({ text, fromUser }: Pick<Instruction, 'text' | 'fromUser'>): boolean {
  const head = text.length > HEAD ? text.slice(0, HEAD) : text
  if (!fromUser) return MARKUP.test(head) || count(head, ORDERS, 1) === 1
  return (
    text.length >= LEAST_PROMPT &&
    OPENING.test(head) &&
    count(head, ORDERS, 3) === 3 &&
    count(head, MARKUP_LINES, 3) === 3
  )
}

/** How often a pattern is found, up to `most`. */
function count(text: string, pattern: RegExp, most: number): number {
  let found = 0
  for (const _ of text.matchAll(pattern)) if (++found === most) break
  return found
}
