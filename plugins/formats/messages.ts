import type { ChatFormat } from 'deflector'
import { exactJson } from './exact-json.ts'
import { lastTurnIn } from './last-turn.ts'
import { decodeAnswer, encodeAnswer, reissue } from './messages/answer.ts'
import { cacheMarks } from './messages/cache-marks.ts'
import { decodePrompt } from './messages/decode-prompt.ts'
import { encodePrompt } from './messages/encode-prompt.ts'
import { encodeError, encodeStreamError } from './messages/errors.ts'
import { forModel } from './messages/for-model.ts'
import { foreign } from './messages/foreign.ts'
import { readHead } from './messages/head.ts'
import { headers } from './messages/headers.ts'
import { instructions, toolResults } from './messages/instructions.ts'
import { keyRules } from './messages/key-rules.ts'
import { resumedEncoder } from './messages/resumed-encoder.ts'
import { stateIn } from './messages/state.ts'
import { MessagesStreamDecoder } from './messages/stream-decoder.ts'
import { MessagesStreamEncoder } from './messages/stream-encoder.ts'
import { MESSAGES_TEXTS, messagesStreamForm } from './messages/stream-form.ts'
import { outputCap } from './output-cap.ts'
import { RunDecoder } from './run-decoder.ts'
import { sseFraming } from './sse.ts'
import { PLAIN_TOOL_NAMES } from './tool-names.ts'
import { withBeginning } from './with-beginning.ts'

export { continuesAnswer } from './messages/continues.ts'

import { openingIn } from './placed-texts.ts'

/** Anthropic's messages format, `POST /v1/messages`, version 2023-06-01. */
export const messages: ChatFormat = {
  name: 'messages',
  toolNames: PLAIN_TOOL_NAMES,
  readHead,
  decodePrompt,
  encodePrompt,
  decodeAnswer,
  encodeAnswer,
  stringify: exactJson,
  reissue,
  streamDecoder: () => new RunDecoder(new MessagesStreamDecoder(), MESSAGES_TEXTS),
  streamEncoder: (prompt, reply) => new MessagesStreamEncoder(prompt, reply),
  resumedEncoder,
  withBeginning,
  passFrame: frame => frame.wire,
  foreign,
  forModel,
  instructions,
  opening: body => openingIn(body.messages, 'content'),
  toolResults,
  cacheMarks,
  fieldNames: {
    stop: 'stop_sequences',
    response_format: 'output_config.format',
    user: 'metadata.user_id',
    reasoning_effort: 'thinking',
    parallel_tool_calls: 'tool_choice.disable_parallel_tool_use',
  },
  streamForm: messagesStreamForm,
  encodeError,
  encodeStreamError,
  // The dialect's own `ping` is only legal after message_start, and a keep-alive may be written before it.
  framing: sseFraming,
  headers,
  outputCap: body => outputCap(body.max_tokens),
  keyRules,
  stateIn,
  lastTurn: body => lastTurnIn(body, { turns: 'messages', content: 'content', textType: 'text' }),
}
