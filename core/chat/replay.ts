import type { AnswerEvent } from './answer-event.ts'
import type { TextBlock } from './blocks.ts'
import type { Completion } from './completion.ts'

/** Characters in one replayed piece of text: large enough to be cheap, small enough to read as a stream. */
const PIECE = 64

/** A whole answer as the events of a stream: what a live one would have sent, without the waiting. */
export function* replay(completion: Completion): Generator<AnswerEvent> {
  const { id, model, created, usage } = completion
  yield { type: 'start', id, model, created, ...(usage && { usage }) }
  let call = 0
  for (const block of completion.blocks) {
    switch (block.type) {
      case 'text':
        yield* replayText(block)
        break
      case 'refusal':
        for (const text of pieces(block.text)) yield { type: 'refusal', text }
        break
      case 'reasoning': {
        const { type: _, text: words, ...proof } = block
        for (const text of pieces(words)) yield { type: 'reasoning', text }
        if (proof.signature !== undefined || proof.redacted !== undefined) yield { ...proof, type: 'signature' }
        break
      }
      case 'tool_call': {
        const { args, ...head } = block
        yield { ...head, index: call }
        for (const text of pieces(args)) yield { type: 'tool_args', index: call, text }
        call++
        break
      }
      case 'opaque':
        yield block
    }
  }
  if (usage) yield { type: 'usage', usage }
  yield { type: 'stop', stop: completion.stop }
  yield { type: 'end' }
}

/** A text whose tokens are known goes token by token, where they spell it. */
function* replayText({ text: whole, citations = [], logprobs }: TextBlock): Generator<AnswerEvent> {
  if (logprobs && logprobs.map(each => each.token).join('') === whole)
    for (const each of logprobs) yield { type: 'text', text: each.token, logprobs: [each] }
  else for (const text of pieces(whole)) yield { type: 'text', text }
  for (const citation of citations) yield { type: 'citation', citation }
}

/**
 * Cuts text after a space where one is near, and never inside a surrogate pair. A piece does not end before a combining
 * mark or a joiner either, unless more of them follow each other than any grapheme has.
 */
export function* pieces(text: string): Generator<string> {
  let from = 0
  while (from < text.length) {
    let to = Math.min(text.length, from + PIECE)
    if (to < text.length) {
      // Only the second half of the piece is searched. `lastIndexOf` on the whole text would go back to its beginning.
      const space = text.slice(from + PIECE / 2 + 1, to + 1).lastIndexOf(' ')
      if (space >= 0) to = from + PIECE / 2 + 1 + space + 1
      const most = to + PIECE
      while (to < text.length && (parts(text, to) || (to < most && joins(text, to)))) to++
    }
    yield text.slice(from, to)
    from = to
  }
}

/** Would a cut here part the halves of a surrogate pair? */
const parts = (text: string, at: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800

/** May nothing end before this character? */
const joins = (text: string, at: number): boolean =>
  text[at - 1] === '\u200d' || JOINS.test(String.fromCodePoint(text.codePointAt(at) ?? 0))

/** A combining mark or variation selector, a joiner. */
const JOINS = /^(?:\p{M}|\u200d)/u
