import { completions } from 'deflector/formats/completions'
import type { HttpOperation } from 'deflector/http-provider'
import { z } from 'zod'
import { besideChat } from '../upstream/url.ts'

const cost = z.object({ usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number().default(0) }) })

/** The tokens that an answer says it cost, as all answers of this dialect do. */
function usageOf(body: Record<string, unknown>) {
  const { data } = cost.safeParse(body)
  return data && { input: data.usage.prompt_tokens, output: data.usage.completion_tokens }
}

/** What such vendors can be asked for beside chat. One that cannot says so itself, with a 404. */
export const operations: Readonly<Record<string, HttpOperation>> = {
  embeddings: { url: besideChat('/embeddings'), isAnswer: body => Array.isArray(body.data), usageOf },
  completions: {
    url: besideChat('/completions'),
    isAnswer: body => Array.isArray(body.choices),
    usageOf,
    streamDecoder: completions.streamDecoder,
  },
}
