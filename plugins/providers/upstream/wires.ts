import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import type { HttpVendor } from 'deflector/http-provider'
import { isChatAnswer, isLongMessage, isMessage, isResponse } from './chat-answer.ts'
import { keepingPatches } from './keeping.ts'
import { withThinkingOff } from './no-thinking.ts'
import { patchesFor } from './quirks.ts'
import type { Quirks } from './quirks-schema.ts'
import { chatCompletionsUrl, messagesUrl, responsesUrl } from './url.ts'

export const WIRES = ['chat-completions', 'messages', 'responses'] as const

type Wire = Pick<HttpVendor, 'format' | 'url' | 'isAnswer'> & Partial<Pick<HttpVendor, 'patches' | 'tooLong'>>

/** The formats of a vendor that has several under one credential, each at its own path. */
export const wiresOf = (
  name: string,
  quirks: Quirks,
  keeps: boolean,
): Readonly<Record<(typeof WIRES)[number], Wire>> => ({
  'chat-completions': {
    format: withThinkingOff(chatCompletions, quirks),
    url: chatCompletionsUrl,
    patches: (body, target) => patchesFor(body, target, quirks),
    isAnswer: body => isChatAnswer(body, name),
  },
  messages: { format: messages, url: messagesUrl, isAnswer: isMessage, tooLong: isLongMessage },
  responses: { format: responses, url: responsesUrl, patches: keepingPatches(keeps), isAnswer: isResponse },
})
