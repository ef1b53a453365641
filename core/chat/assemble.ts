import type { AnswerEvent } from './answer-event.ts'
import type { Citation, OpaqueBlock, ReasoningBlock, TextBlock, TokenLogprob, ToolCallBlock } from './blocks.ts'
import type { AnswerBlock, Completion, Stop, Usage } from './completion.ts'

interface TextDraft {
  readonly type: 'text'
  readonly parts: string[]
  readonly citations: Citation[]
  readonly logprobs: TokenLogprob[]
}

interface RefusalDraft {
  readonly type: 'refusal'
  readonly parts: string[]
}

interface ReasoningDraft {
  readonly type: 'reasoning'
  readonly parts: string[]
  proof?: Pick<ReasoningBlock, 'signature' | 'redacted' | 'origin'>
}

interface CallDraft {
  readonly type: 'tool_call'
  readonly head: Omit<ToolCallBlock, 'type' | 'args'>
  readonly parts: string[]
}

type Draft = TextDraft | RefusalDraft | ReasoningDraft | CallDraft | OpaqueBlock

/** Gathers the events of a stream into the whole canonical answer. */
export class Assembler {
  readonly #drafts: Draft[] = []
  readonly #calls = new Map<number, CallDraft>()
  #id = ''
  #model = ''
  #created = 0
  #stop: Stop | undefined
  #usage: Usage | undefined
  #ended = false
  readonly #unmodelled = new Set<string>()

  /** Was the protocol's terminal event seen? */
  get ended(): boolean {
    return this.#ended
  }

  /** Did something go by that a stored copy would lose? */
  get unmodelled(): boolean {
    return this.#unmodelled.size > 0
  }

  get usage(): Usage | undefined {
    return this.#usage
  }

  add(event: AnswerEvent): void {
    switch (event.type) {
      case 'start':
        this.#id = event.id
        this.#model = event.model
        this.#created = event.created
        if (event.usage) this.#usage = event.usage
        return
      case 'text': {
        const draft = this.#text()
        draft.parts.push(event.text)
        if (event.logprobs) draft.logprobs.push(...event.logprobs)
        return
      }
      case 'citation':
        this.#text().citations.push(event.citation)
        return
      case 'refusal': {
        const last = this.#drafts.at(-1)
        if (last?.type === 'refusal') last.parts.push(event.text)
        else this.#drafts.push({ type: 'refusal', parts: [event.text] })
        return
      }
      case 'reasoning':
        this.#reasoning().parts.push(event.text)
        return
      case 'signature': {
        const { type: _, ...proof } = event
        // Redacted reasoning is a block of its own; a signature closes the reasoning before it.
        if (event.redacted !== undefined) this.#drafts.push({ type: 'reasoning', parts: [], proof })
        else this.#reasoning().proof = proof
        return
      }
      case 'tool_call': {
        const { type, index, ...head } = event
        const draft: CallDraft = { type, head, parts: [] }
        this.#calls.set(index, draft)
        this.#drafts.push(draft)
        return
      }
      case 'tool_args':
        this.#calls.get(event.index)?.parts.push(event.text)
        return
      case 'opaque':
        this.#drafts.push(event)
        return
      case 'usage':
        this.#usage = { ...this.#usage, ...event.usage }
        return
      case 'stop':
        this.#stop = event.stop
        return
      case 'unmodelled':
        this.#unmodelled.add(event.what)
        return
      case 'end':
        this.#ended = true
    }
  }

  completion(): Completion {
    return {
      id: this.#id,
      model: this.#model,
      created: this.#created,
      blocks: this.#drafts.map(toBlock),
      stop: this.#stop ?? { reason: 'unknown' },
      ...(this.#usage && { usage: this.#usage }),
      ...(this.unmodelled && { unmodelled: [...this.#unmodelled] }),
    }
  }

  #text(): TextDraft {
    const last = this.#drafts.at(-1)
    if (last?.type === 'text') return last
    const draft: TextDraft = { type: 'text', parts: [], citations: [], logprobs: [] }
    this.#drafts.push(draft)
    return draft
  }

  /** The reasoning that is still open. */
  #reasoning(): ReasoningDraft {
    const last = this.#drafts.at(-1)
    if (last?.type === 'reasoning' && !last.proof) return last
    const draft: ReasoningDraft = { type: 'reasoning', parts: [] }
    this.#drafts.push(draft)
    return draft
  }
}

function toBlock(draft: Draft): AnswerBlock {
  if (draft.type === 'opaque') return draft
  const text = draft.parts.join('')
  switch (draft.type) {
    case 'text':
      return textBlock(text, draft)
    case 'refusal':
      return { type: 'refusal', text }
    case 'reasoning':
      return { type: 'reasoning', text, ...draft.proof }
    case 'tool_call':
      return { type: 'tool_call', ...draft.head, args: text }
  }
}

const textBlock = (text: string, { citations, logprobs }: TextDraft): TextBlock => ({
  type: 'text',
  text,
  ...(citations.length > 0 && { citations }),
  ...(logprobs.length > 0 && { logprobs }),
})
