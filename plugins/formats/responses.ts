import type { ChatFormat, JsonObject, Usage } from 'deflector'
import { exactJson } from './exact-json.ts'
import { outputCap } from './output-cap.ts'
import { decodeAnswer, encodeAnswer, reissue } from './responses/answer.ts'
import { decodePrompt } from './responses/decode-prompt.ts'
import { encodePrompt } from './responses/encode-prompt.ts'
import { encodeError, encodeStreamError } from './responses/errors.ts'
import { forModel } from './responses/for-model.ts'
import { foreign } from './responses/foreign.ts'
import { INSTEAD, readHead, readHeadOnly } from './responses/head.ts'
import { instructions, toolResults } from './responses/instructions.ts'
import { keyRules } from './responses/key-rules.ts'
import { lastTurn } from './responses/last-turn.ts'
import { resumedEncoder } from './responses/resumed-encoder.ts'
import { stateIn, workIn } from './responses/state.ts'
import { ResponsesStreamDecoder } from './responses/stream-decoder.ts'
import { ResponsesStreamEncoder } from './responses/stream-encoder.ts'
import { passFrame, responsesStreamForm } from './responses/stream-form.ts'
import { decodeUsage } from './responses/usage.ts'
import { sseFraming } from './sse.ts'
import { type CountFormat, counting } from './token-count.ts'
import { PLAIN_TOOL_NAMES } from './tool-names.ts'

export { responsesOperations } from './responses/operations.ts'
export { stateOf as stateOfResponse } from './responses/state.ts'

import { openingIn } from './placed-texts.ts'

/** The tokens that one cost, as a call beside it tells: compaction is work of a model too. */
export const usageOfResponse = ({ usage }: JsonObject): Usage | undefined => decodeUsage(usage)

/** OpenAI's responses, `POST /v1/responses`: items instead of messages, and a ladder of events instead of chunks. */
export const responses: ChatFormat = {
  name: 'responses',
  toolNames: PLAIN_TOOL_NAMES,
  readHead,
  decodePrompt,
  encodePrompt,
  decodeAnswer,
  encodeAnswer,
  stringify: exactJson,
  reissue,
  streamDecoder: () => new ResponsesStreamDecoder(),
  streamEncoder: (prompt, reply) => new ResponsesStreamEncoder(prompt, reply),
  resumedEncoder,
  passFrame,
  foreign,
  forModel,
  instructions,
  opening: body => openingIn(body.input, 'content'),
  toolResults,
  fieldNames: {
    messages: 'input',
    response_format: 'text.format',
    logprobs: 'include',
    reasoning_effort: 'reasoning',
    verbosity: 'text.verbosity',
  },
  streamForm: responsesStreamForm,
  encodeError,
  encodeStreamError,
  framing: sseFraming,
  outputCap: body => outputCap(body.max_output_tokens),
  keyRules,
  lastTurn,
  stateIn,
  workIn,
}

/** The same for `POST /v1/responses/input_tokens`. */
export const countResponse: CountFormat = counting(responses, {
  readHead: readHeadOnly,
  encodeCount: tokens => ({ object: 'response.input_tokens', input_tokens: tokens }),
  elsewhere: body => INSTEAD.find(field => body[field] !== undefined && body[field] !== null),
})
