import { chatCompletions } from 'deflector/formats/chat-completions'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import type { HttpVendor } from 'deflector/http-provider'
import { isChatAnswer } from '../upstream/chat-answer.ts'
import { patchesFor } from '../upstream/quirks.ts'
import type { Quirks } from '../upstream/quirks-schema.ts'
import { chatCompletionsUrl, messagesUrl, responsesUrl } from '../upstream/url.ts'

export const WIRES = ['chat-completions', 'messages', 'responses'] as const

type Wire = Pick<HttpVendor, 'format' | 'url' | 'isAnswer'> & Partial<Pick<HttpVendor, 'patches'>>

/** The formats in which the vendor is asked, each at its own path. */
export const wiresOf = (name: string, quirks: Quirks): Readonly<Record<(typeof WIRES)[number], Wire>> => ({
  'chat-completions': {
    format: chatCompletions,
    url: chatCompletionsUrl,
    patches: (body, target) => patchesFor(body, target, quirks),
    isAnswer: body => isChatAnswer(body, name),
  },
  messages: {
    format: messages,
    url: messagesUrl,
    isAnswer: body => body.type === 'message' && Array.isArray(body.content),
  },
  responses: {
    format: responses,
    url: responsesUrl,
    isAnswer: body => body.object === 'response' || Array.isArray(body.output),
  },
})
