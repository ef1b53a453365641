import { type AnswerEvent, type Frame, isObject, type JsonObject, type Prompt, type StreamEncoder } from 'deflector'
import { dataIn } from '../sse.ts'
import { ChatStreamEncoder } from './stream-encoder.ts'
import { encodeUsage } from './usage.ts'

/** Writes the rest of a stream that another vendor began, as that vendor's own chunks would go on. */
class ResumedEncoder implements StreamEncoder {
  readonly #rest: ChatStreamEncoder

  constructor(
    private readonly facts: ChunkFacts,
    sent: readonly Frame[],
    prompt: Prompt,
  ) {
    this.#rest = new ChatStreamEncoder(prompt, { id: '', created: facts.created, layer: '' }, facts)
    this.#rest.resume(sent.flatMap(({ events }) => events).filter(({ type }) => type !== 'usage'))
  }

  push(event: AnswerEvent): string {
    // As a vendor's chunk: `passFrame` knows which client wants it.
    if (event.type !== 'usage') return this.#rest.push(event)
    return `data: ${JSON.stringify({ ...this.facts, choices: [], usage: encodeUsage(event.usage) })}\n\n`
  }
}

type ChunkFacts = NonNullable<ConstructorParameters<typeof ChatStreamEncoder>[2]>

/** `undefined` where no chunk has come that says what the stream is called. */
export function resumedEncoder(sent: readonly Frame[], prompt: Prompt): StreamEncoder | undefined {
  for (const { wire } of sent)
    for (const data of dataIn(wire)) {
      const facts = factsOf(JSON.parse(data))
      if (facts) return new ResumedEncoder(facts, sent, prompt)
    }
  return undefined
}

function factsOf(chunk: JsonObject): ChunkFacts | undefined {
  const { id, created, model, choices } = chunk
  if (!isObject(chunk) || !Array.isArray(choices) || choices.length === 0 || typeof id !== 'string') return undefined
  return {
    id,
    object: 'chat.completion.chunk',
    created: typeof created === 'number' ? created : 0,
    model: typeof model === 'string' ? model : '',
  }
}
