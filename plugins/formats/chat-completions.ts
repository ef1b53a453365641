import type { ChatFormat } from 'deflector'
import { decodeAnswer, encodeAnswer, reissue } from './chat-completions/answer.ts'
import { decodePrompt } from './chat-completions/decode-prompt.ts'
import { encodePrompt } from './chat-completions/encode-prompt.ts'
import { encodeError, encodeStreamError } from './chat-completions/errors.ts'
import { foreign } from './chat-completions/foreign.ts'
import { readHead } from './chat-completions/head.ts'
import { instructions, toolResults } from './chat-completions/instructions.ts'
import { keyRules } from './chat-completions/key-rules.ts'
import { passFrame } from './chat-completions/pass-frame.ts'
import { resumedEncoder } from './chat-completions/resumed-encoder.ts'
import { stateIn } from './chat-completions/state.ts'
import { ChatStreamDecoder } from './chat-completions/stream-decoder.ts'
import { ChatStreamEncoder } from './chat-completions/stream-encoder.ts'
import { CHAT_TEXTS, chatStreamForm, PADDING } from './chat-completions/stream-form.ts'
import { lastTurnIn } from './last-turn.ts'
import { answersOf, outputCap } from './output-cap.ts'
import { openingIn } from './placed-texts.ts'
import { RunDecoder } from './run-decoder.ts'
import { sseFraming } from './sse.ts'
import { PLAIN_TOOL_NAMES } from './tool-names.ts'
import { withBeginning } from './with-beginning.ts'

export { encodePrompt }

/** OpenAI's chat completions, `POST /v1/chat/completions`, and what the many hosts of this format made of it. */
export const chatCompletions: ChatFormat = {
  name: 'chat-completions',
  readHead,
  decodePrompt,
  encodePrompt,
  decodeAnswer,
  encodeAnswer,
  reissue,
  streamDecoder: () => new RunDecoder(new ChatStreamDecoder(), CHAT_TEXTS, PADDING),
  streamEncoder: (prompt, reply) => new ChatStreamEncoder(prompt, reply),
  resumedEncoder,
  withBeginning,
  passFrame,
  foreign,
  instructions,
  opening: body => openingIn(body.messages, 'content'),
  toolResults,
  streamForm: chatStreamForm,
  toolNames: PLAIN_TOOL_NAMES,
  encodeError,
  encodeStreamError,
  framing: sseFraming,
  headers: [{ name: 'openai-', prefix: true }],
  outputCap: body => outputCap(body.max_completion_tokens ?? body.max_tokens, answersOf(body.n)),
  choices: body => answersOf(body.n),
  keyRules,
  stateIn,
  lastTurn: body => lastTurnIn(body, { turns: 'messages', content: 'content', textType: 'text' }),
}
