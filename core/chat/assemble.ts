import type { AnswerBlock, AnswerEvent, Completion, JsonObject, Stop, Usage } from './canonical.ts'

interface Draft {
  block:
    | { type: 'text' | 'refusal' | 'reasoning'; parts: string[] }
    | { type: 'tool_call'; id: string; name: string; parts: string[] }
  signature?: string
  redacted?: string
}

/** Gathers the events of a stream into the whole canonical answer. */
export class Assembler {
  readonly #drafts: (Draft | { opaque: { format: string; value: JsonObject } })[] = []
  readonly #calls = new Map<number, Draft>()
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
      case 'text':
      case 'refusal':
      case 'reasoning':
        this.#append(event.type, event.text)
        return
      case 'signature':
        this.#sign(event)
        return
      case 'tool_call': {
        const draft: Draft = { block: { type: 'tool_call', id: event.id, name: event.name, parts: [] } }
        this.#calls.set(event.index, draft)
        this.#drafts.push(draft)
        return
      }
      case 'tool_args':
        this.#calls.get(event.index)?.block.parts.push(event.text)
        return
      case 'opaque':
        this.#drafts.push({ opaque: { format: event.format, value: event.value } })
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

  #append(type: 'text' | 'refusal' | 'reasoning', text: string): void {
    const last = this.#drafts.at(-1)
    const open =
      last && 'block' in last && last.block.type === type && last.signature === undefined && last.redacted === undefined
    if (open) last.block.parts.push(text)
    else this.#drafts.push({ block: { type, parts: [text] } })
  }

  /** A signature closes the reasoning before it; redacted reasoning is a block of its own. */
  #sign({ signature, redacted }: { readonly signature?: string; readonly redacted?: string }): void {
    if (redacted !== undefined) {
      this.#drafts.push({ block: { type: 'reasoning', parts: [] }, redacted })
      return
    }
    const last = this.#drafts.at(-1)
    const open = last && 'block' in last && last.block.type === 'reasoning' && last.signature === undefined
    const draft: Draft = open ? last : { block: { type: 'reasoning', parts: [] } }
    if (signature !== undefined) draft.signature = signature
    if (!open) this.#drafts.push(draft)
  }
}

function toBlock(draft: Draft | { opaque: { format: string; value: JsonObject } }): AnswerBlock {
  if ('opaque' in draft) return { type: 'opaque', ...draft.opaque }
  const { block, signature, redacted } = draft
  const text = block.parts.join('')
  if (block.type === 'tool_call') return { type: 'tool_call', id: block.id, name: block.name, args: text }
  if (block.type !== 'reasoning') return { type: block.type, text }
  return {
    type: 'reasoning',
    text,
    ...(signature !== undefined && { signature }),
    ...(redacted !== undefined && { redacted }),
  }
}
