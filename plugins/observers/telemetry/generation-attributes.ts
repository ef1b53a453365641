import type { Attributes } from '@opentelemetry/api'
import type { Chat, Exchange, Prompt, SettledAnswer } from 'deflector'
import { pseudonym } from 'deflector/formats/pseudonym'

/** Bytes of a body that is decoded for its settings. A larger one would keep the event loop busy for too long. */
const LARGEST_DECODED = 65_536

/** Stop sequences are the client's own text. Longer or more of them could hold a prompt, and are left out. */
const MOST_STOPS = 16
const LONGEST_STOP = 64

/**
 * What a client asked for beside its words, by the names of the GenAI conventions. No text of the prompt; sessions by a
 * hash. Of a client's own words it has stop sequences alone: 16 at most, of 64 characters at most.
 */
export function requestAttributes({ session, opened }: Exchange): Attributes {
  return {
    ...(session !== undefined && { 'gen_ai.conversation.id': pseudonym(String(session)) }),
    ...(opened?.operation === 'chat' && chatAttributes(decoded(opened))),
    ...(opened?.operation === 'embeddings' && vectorAttributes(opened.body)),
  }
}

/** A body that only its own vendor understands is not decoded. */
function decoded(prompt: Prompt): Chat | undefined {
  try {
    return prompt.bytes.length <= LARGEST_DECODED ? prompt.chat : undefined
  } catch {
    return undefined
  }
}

function chatAttributes(chat: Chat | undefined): Attributes {
  const { sampling, wanted, responseFormat } = chat ?? {}
  const output = wanted?.audio ? 'speech' : responseFormat && 'json'
  return {
    'gen_ai.output.type': output,
    'gen_ai.request.choice.count': wanted?.choices,
    'gen_ai.request.frequency_penalty': sampling?.frequencyPenalty,
    'gen_ai.request.max_tokens': chat?.maxOutput,
    'gen_ai.request.presence_penalty': sampling?.presencePenalty,
    'gen_ai.request.seed': sampling?.seed,
    'gen_ai.request.stop_sequences': shortStops(sampling?.stop),
    'gen_ai.request.temperature': sampling?.temperature,
    'gen_ai.request.top_k': sampling?.topK,
    'gen_ai.request.top_p': sampling?.topP,
  }
}

function shortStops(stop: readonly string[] | undefined): string[] | undefined {
  const isShort = stop && stop.length <= MOST_STOPS && stop.every(({ length }) => length <= LONGEST_STOP)
  return isShort ? [...stop] : undefined
}

function vectorAttributes({ dimensions, encoding_format }: Prompt['body']): Attributes {
  return {
    ...(typeof dimensions === 'number' && { 'gen_ai.embeddings.dimension.count': dimensions }),
    ...(typeof encoding_format === 'string' && { 'gen_ai.request.encoding_formats': [encoding_format] }),
  }
}

/** What a vendor says of its answer. Reasons are those of the canonical answer, so that vendors can be compared. */
export function answerAttributes(answer: SettledAnswer | undefined): Attributes {
  if (answer?.kind !== 'whole') return {}
  try {
    const { id, model, stop } = answer.completion
    return {
      'gen_ai.response.id': id,
      'gen_ai.response.model': model,
      'gen_ai.response.finish_reasons': [stop.reason],
    }
  } catch {
    return {} // bytes that nothing can read go to a client of the same dialect all the same
  }
}
