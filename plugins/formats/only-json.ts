import type { Chat, Turn } from 'deflector'

/** Said to a model that is to answer with JSON of no certain schema. */
export const ONLY_JSON = 'Answer with a single JSON object and nothing else: no code fence, no words around it.'

/**
 * Does a message hold the word? OpenAI and vendors that copied it refuse `json_object` where none does:
 * https://github.com/ultimatejimmy/xray.koplugin/issues/33
 */
export const saysJson = ({ turns }: Pick<Chat, 'turns'>, system: readonly string[] = []): boolean =>
  system.some(hasWord) || turns.some(isSaid)

const hasWord = (text: string): boolean => /json/i.test(text)

const isSaid = ({ blocks }: Turn): boolean => blocks.some(block => block.type === 'text' && hasWord(block.text))
