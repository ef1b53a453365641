import type { Client } from '../conversation.ts'
import { anthropic } from './anthropic.ts'
import { openaiChat } from './openai-chat.ts'

export const CLIENTS: readonly Client[] = [openaiChat, anthropic]
