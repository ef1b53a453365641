/**
 * `yes`: may be answered by a likeness; `same_words`: only by the same words in other manners; `no`: only exactly.
 */
export type Cacheable = 'yes' | 'same_words' | 'no'

/** Prompts of more characters than this are documents: a likeness says nothing about them. */
const LONGEST = 2000

/** The answer changes by itself, or shall be another one each time. */
const VOLATILE =
  /\b(?:random(?:ly)?|another|again|else|surprise me|today(?:'s)?|tonight|tomorrow|yesterday|now|right now|currently|at the moment|so far|this (?:morning|week|month|year|evening)|last (?:night|week)|latest|newest|recent(?:ly)?|current (?:time|date|weather|price|president|version)|what time is it|more (?:ideas|examples|options))\b/i

const FENCE = /```|~~~/
/** Lines that are program text: braces, semicolons, assignments, arrows, tags, diffs, stack traces. */
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:def|class|import|from|return|function|const|let|var|public|private|if|for|while|SELECT|INSERT|UPDATE|#include)\b.*[({;:=]|^\s*<\/?[a-z][^>]*>|^[+-]{3} |^\s+at \S+\(|^Traceback|=>\s*\{/i

/** What the words of the last turn alone allow. The words say nothing about tools, images or earlier turns. */
export function cacheable(text: string): Cacheable {
  if (text.length > LONGEST || text.trim() === '' || FENCE.test(text)) return 'no'
  const lines = text.split('\n')
  if (lines.filter(line => CODE_LINE.test(line)).length >= Math.min(2, lines.length)) return 'no'
  if (lines.length > 12) return 'no'
  return VOLATILE.test(text) ? 'same_words' : 'yes'
}

const LEANS =
  /\b(?:it|its|that|those|these|this|they|them|he|she|him|her|his|their|ones?|the same|the (?:first|second|last|former|latter|above)|instead|more|continue|go on|why|yes|no|ok(?:ay)?|sure|and|but|also|too|previous|earlier|above|you said|as before)\b/i
/** Fewer words than this after earlier turns mean little by themselves. */
const SHORT = 8

/** Does a turn that follows others stand on its own? Without earlier turns there is nothing to lean on. */
export const leans = (text: string): boolean => text.trim().split(/\s+/).length < SHORT || LEANS.test(text)
