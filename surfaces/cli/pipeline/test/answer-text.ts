import { dataIn } from 'deflector/formats/sse'
import { z } from 'zod'
import type { Received } from './client.ts'

/** Where the text stands in a whole reply or in one event of a stream, dialect by dialect. */
const Texts = z.looseObject({
  message: z.string().optional().catch(undefined),
  delta: z
    .union([z.string(), z.looseObject({ text: z.string() })])
    .optional()
    .catch(undefined),
  choices: z
    .array(
      z.looseObject({
        message: z.looseObject({ content: z.string().nullish() }).optional(),
        delta: z.looseObject({ content: z.string().nullish() }).optional(),
      }),
    )
    .optional()
    .catch(undefined),
  content: z
    .array(z.looseObject({ text: z.string().optional() }))
    .optional()
    .catch(undefined),
  candidates: z
    .array(
      z.looseObject({
        content: z.looseObject({ parts: z.array(z.looseObject({ text: z.string().optional() })) }).optional(),
      }),
    )
    .optional()
    .catch(undefined),
  type: z.string().optional().catch(undefined),
})

/** The answer's text: of a whole reply, or joined over a stream. Empty when there is none. */
export function answerText({ headers, raw }: Received): string {
  if (!headers['content-type']?.startsWith('text/event-stream')) return textOf(parsed(raw))
  return dataIn(raw.replaceAll('\r\n', '\n'))
    .map(data => textOf(parsed(data), true))
    .join('')
}

function textOf(body: unknown, event = false): string {
  const { success, data } = Texts.safeParse(body)
  if (!success) return ''
  const { message, delta, choices, content, candidates } = data
  if (delta !== undefined) return typeof delta === 'string' ? delta : delta.text
  if (choices) return choices.map(choice => (choice.delta ?? choice.message)?.content ?? '').join('')
  if (content) return content.map(({ text }) => text ?? '').join('')
  if (candidates) return candidates.flatMap(one => one.content?.parts.map(({ text }) => text ?? '') ?? []).join('')
  // The last event of a native stream tells the whole message once more.
  return event ? '' : (message ?? '')
}

/** JSON, or `undefined`. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
