/**
 * Prompts of more characters than this are documents: their similarity says nothing, and comparing eight of them takes
 * milliseconds.
 */
const LONGEST = 600
const MOST_LINES = 12

const FENCE = /```|~~~/
/** Half of a surrogate pair is no character, and no hash tells it from another half. */
const HALF = /\p{Surrogate}/u
/** Lines that are program text: braces, semicolons, assignments, arrows, tags, diffs, stack traces. */
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:def|class|import|from|return|function|const|let|var|public|private|if|for|while|SELECT|INSERT|UPDATE|#include)\b.*[({;:=]|^\s*<\/?[a-z][^>]*>|^[+-]{3} |^\s+at \S+\(|^Traceback|=>\s*\{/i

/** Is it a prompt written by hand, and neither a document nor pasted code? */
export function isWritten(text: string): boolean {
  if (text.length > LONGEST || text.trim() === '' || FENCE.test(text) || HALF.test(text)) return false
  if (!text.includes('\n')) return !CODE_LINE.test(text)
  const lines = text.split('\n')
  if (lines.length > MOST_LINES) return false
  return lines.filter(line => CODE_LINE.test(line)).length < Math.min(2, lines.length)
}

const LEANS =
  /\b(?:it|its|that|those|these|this|they|them|he|she|him|her|his|their|ones?|the same|the (?:first|second|last|former|latter|above)|instead|more|continue|go on|why|yes|no|ok(?:ay)?|sure|and|but|also|too|previous|earlier|above|you said|as before)\b/i
/** Fewer words than this after earlier turns mean little by themselves. */
const FEW = 8

/** After earlier turns: is it too short to be understood alone? */
export const isShort = (text: string): boolean => text.trim().split(/\s+/).length < FEW

/** After earlier turns: does it point at them? */
export const pointsBack = (text: string): boolean => LEANS.test(text)
