import type { Client } from '../conversation.ts'
import { aiSdk } from './ai-sdk.ts'
import { anthropic } from './anthropic.ts'
import { googleGenai } from './google-genai.ts'
import { langchain } from './langchain.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'

export const CLIENTS: readonly Client[] = [openaiChat, openaiResponses, anthropic, googleGenai, ...aiSdk, ...langchain]
