import type { ChatFormat, StreamEncoder, StreamFraming } from 'deflector'
import { dataIn } from '../sse.ts'

/** What stands around the events. White space is nothing between the items of a list, so a line feed keeps it alive. */
const FRAMING: StreamFraming = {
  contentType: 'application/json; charset=utf-8',
  keepAlive: '\n',
  opening: '[\n\n',
  closing: ']\n',
}

/**
 * The dialect for one client that reads its stream as one JSON list, an item for each event. Made for each call: only
 * the first item has no comma before it.
 */
export function listed(dialect: ChatFormat): ChatFormat {
  const { streamForm } = dialect
  let begun = false
  const itemOf = (data: string): string => {
    const comma = begun ? ',\r\n' : ''
    begun = true
    return `${comma}${data}\n\n`
  }
  const items = (text: string): string => dataIn(text).map(itemOf).join('')
  return {
    ...dialect,
    framing: () => FRAMING,
    streamEncoder(prompt, reply): StreamEncoder {
      const encoder = dialect.streamEncoder(prompt, reply)
      return {
        push: event => items(encoder.push(event)),
        breakOff: () => items(encoder.breakOff?.() ?? ''),
      }
    },
    passFrame: (frame, prompt, joined) => items(dialect.passFrame(frame, prompt, joined)),
    ...(streamForm && {
      streamForm: {
        ...streamForm,
        *send(text, prompt, reply) {
          for (const event of streamForm.send(text, prompt, reply)) yield items(event)
        },
      },
    }),
    // The list is closed, so that a client that reads it whole gets to the error.
    encodeStreamError: (error, requestId) => `${items(dialect.encodeStreamError(error, requestId))}]\n`,
  }
}
