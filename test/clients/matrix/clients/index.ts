import type { Client } from '../conversation.ts'
import { aiSdk } from './ai-sdk.ts'
import { anthropic, anthropicToolRunner } from './anthropic.ts'
import { googleGenai } from './google-genai.ts'
import { langchain } from './langchain.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

/** Of npm. */
export const NODE_CLIENTS: readonly Client[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  anthropicToolRunner,
  googleGenai,
  ...aiSdk,
  ...langchain,
]
