import { isRule } from './rules.ts'

/** Code within a line. */
const CODE = /`([^`\n]+)`/g

/** Of what a text speaks in code within its lines: that is no decoration in it, and no note. */
export interface SpokenOf {
  readonly comments: boolean
  readonly rules: boolean
}

export function spokenOf(text: string): SpokenOf {
  let comments = false
  let rules = false
  for (const [, code = ''] of text.matchAll(CODE)) {
    comments ||= code.includes('<!--')
    rules ||= isRule(code.trim())
  }
  return { comments, rules }
}
