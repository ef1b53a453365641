import { type ChatFormat, isObject, type JsonObject, type StreamFraming } from 'deflector'
import { exactJson } from './exact-json.ts'
import { decodeAnswer, encodeAnswer, reissue } from './generate-content/answer.ts'
import { decodePrompt } from './generate-content/decode-prompt.ts'
import { encodePrompt } from './generate-content/encode-prompt.ts'
import { encodeError, encodeStreamError } from './generate-content/errors.ts'
import { camel } from './generate-content/fields.ts'
import { forModel } from './generate-content/for-model.ts'
import { foreign } from './generate-content/foreign.ts'
import { readHead } from './generate-content/head.ts'
import { instructions, toolResults } from './generate-content/instructions.ts'
import { keyRules } from './generate-content/key-rules.ts'
import { lastTurn } from './generate-content/last-turn.ts'
import { resumedEncoder } from './generate-content/resumed-encoder.ts'
import { ContentStreamDecoder } from './generate-content/stream-decoder.ts'
import { ContentStreamEncoder } from './generate-content/stream-encoder.ts'
import { contentStreamForm } from './generate-content/stream-form.ts'
import { TOOL_NAMES } from './generate-content/tools.ts'
import { answersOf, outputCap } from './output-cap.ts'
import { type CountFormat, counting } from './token-count.ts'

export { isMethod, placesOf } from './generate-content/called.ts'
export { keyed } from './generate-content/keyed.ts'
export { listed } from './generate-content/listed.ts'
export { BATCH_METHODS, RESOURCES } from './generate-content/passed.ts'
export { isFailure } from './generate-content/stop.ts'
export { rehomed, UPLOAD_URLS } from './generate-content/uploads.ts'
export { readUsage } from './generate-content/usage.ts'

import { openingIn } from './placed-texts.ts'

/** Clients take a comment between two events for a broken one. */
const FRAMING: StreamFraming = { contentType: 'text/event-stream; charset=utf-8', keepAlive: '\n' }
const SILENT: StreamFraming = { ...FRAMING, keepAlive: '' }

/** `@google/generative-ai`, which LangChain uses, reads nothing but events; a line feed between two breaks its stream. */
const EVENTS_ONLY = /\bgenai-js\//

/** Google's generateContent, `POST /v1beta/models/{model}:generateContent`, where model and method stand in the path. */
export const generateContent: ChatFormat = {
  name: 'generate-content',
  toolNames: TOOL_NAMES,
  readHead,
  decodePrompt,
  encodePrompt,
  decodeAnswer,
  encodeAnswer,
  stringify: exactJson,
  reissue,
  streamDecoder: () => new ContentStreamDecoder(),
  streamEncoder: (prompt, reply) => new ContentStreamEncoder(prompt, reply),
  resumedEncoder,
  passFrame: frame => frame.wire,
  streamForm: contentStreamForm,
  foreign,
  forModel,
  instructions,
  opening: body => openingIn(body.contents, 'parts'),
  toolResults,
  fieldNames: {
    messages: 'contents',
    tool_choice: 'toolConfig',
    logprobs: 'generationConfig.responseLogprobs',
    top_logprobs: 'generationConfig.logprobs',
    stop: 'generationConfig.stopSequences',
    response_format: 'generationConfig.responseMimeType',
    temperature: 'generationConfig.temperature',
    top_p: 'generationConfig.topP',
    top_k: 'generationConfig.topK',
    seed: 'generationConfig.seed',
    frequency_penalty: 'generationConfig.frequencyPenalty',
    presence_penalty: 'generationConfig.presencePenalty',
    reasoning_effort: 'generationConfig.thinkingConfig',
    service_tier: 'serviceTier',
  },
  encodeError,
  encodeStreamError,
  framing: ({ headers }) => (EVENTS_ONLY.test(headers['x-goog-api-client'] ?? '') ? SILENT : FRAMING),
  keyRules,
  outputCap: body => outputCap(configOf(body).maxOutputTokens, answersOf(configOf(body).candidateCount)),
  choices: body => answersOf(configOf(body).candidateCount),
  lastTurn,
}

function configOf(body: JsonObject): JsonObject {
  const { generationConfig } = camel(body)
  return isObject(generationConfig) ? camel(generationConfig) : {}
}

/** The same for `:countTokens`, which takes the contents alone or the whole request that is meant. */
export const countContent: CountFormat = counting(generateContent, {
  decodePrompt: body => {
    const { generateContentRequest: meant } = camel(body)
    return decodePrompt(isObject(meant) ? meant : body)
  },
  encodeCount: totalTokens => ({ totalTokens }),
})
