import { withoutManners } from './politeness.ts'
import { tokensOf } from './tokens.ts'
import { isVolatile } from './volatile.ts'

/** What the words of a last turn allow: to be answered by a likeness, or, with the reason, by the exact cache only. */
export type Cacheable = 'yes' | 'long_or_code' | 'volatile'

/**
 * Prompts of more characters than this are documents: a likeness says nothing about them, and to compare eight of them
 * takes milliseconds.
 */
const LONGEST = 600

const FENCE = /```|~~~/
/** Lines that are program text: braces, semicolons, assignments, arrows, tags, diffs, stack traces. */
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:def|class|import|from|return|function|const|let|var|public|private|if|for|while|SELECT|INSERT|UPDATE|#include)\b.*[({;:=]|^\s*<\/?[a-z][^>]*>|^[+-]{3} |^\s+at \S+\(|^Traceback|=>\s*\{/i

/** Is it a prompt that somebody wrote by hand? The words say nothing about tools, images or earlier turns. */
export function isWritten(text: string): boolean {
  if (text.length > LONGEST || text.trim() === '' || FENCE.test(text)) return false
  if (!text.includes('\n')) return !CODE_LINE.test(text)
  const lines = text.split('\n')
  if (lines.length > 12) return false
  return lines.filter(line => CODE_LINE.test(line)).length < Math.min(2, lines.length)
}

/** What the words of the last turn alone allow. */
export const cacheable = (text: string): Cacheable =>
  !isWritten(text) ? 'long_or_code' : isVolatile(withoutManners(tokensOf(text))) ? 'volatile' : 'yes'

const LEANS =
  /\b(?:it|its|that|those|these|this|they|them|he|she|him|her|his|their|ones?|the same|the (?:first|second|last|former|latter|above)|instead|more|continue|go on|why|yes|no|ok(?:ay)?|sure|and|but|also|too|previous|earlier|above|you said|as before)\b/i
/** Fewer words than this after earlier turns mean little by themselves. */
const SHORT = 8

/** Does a turn that follows others say too little by itself? */
export const isShort = (text: string): boolean => text.trim().split(/\s+/).length < SHORT

/** Does it point back at the turns before it? */
export const leans = (text: string): boolean => LEANS.test(text)
