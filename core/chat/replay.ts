import type { AnswerEvent, Completion } from './canonical.ts'

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
      case 'refusal':
        for (const text of pieces(block.text)) yield { type: block.type, text }
        break
      case 'reasoning':
        for (const text of pieces(block.text)) yield { type: 'reasoning', text }
        if (block.signature !== undefined) yield { type: 'signature', signature: block.signature }
        if (block.redacted !== undefined) yield { type: 'signature', redacted: block.redacted }
        break
      case 'tool_call':
        yield { type: 'tool_call', index: call, id: block.id, name: block.name }
        for (const text of pieces(block.args)) yield { type: 'tool_args', index: call, text }
        call++
        break
      case 'opaque':
        yield block
    }
  }
  if (usage) yield { type: 'usage', usage }
  yield { type: 'stop', stop: completion.stop }
  yield { type: 'end' }
}

/** Cuts text after a space where one is near, and never inside a grapheme's surrogate pair or before a combining mark. */
export function* pieces(text: string): Generator<string> {
  let from = 0
  while (from < text.length) {
    let to = Math.min(text.length, from + PIECE)
    if (to < text.length) {
      const space = text.lastIndexOf(' ', to)
      if (space > from + PIECE / 2) to = space + 1
      while (to < text.length && (JOINS.test(text.slice(to, to + 2)) || text[to - 1] === '\u200d')) to++
    }
    yield text.slice(from, to)
    from = to
  }
}

/** What may not begin a piece: a low surrogate, a combining mark or variation selector, a joiner. */
const JOINS = /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u
