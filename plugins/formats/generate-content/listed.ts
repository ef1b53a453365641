import type { ChatFormat, StreamEncoder, StreamFraming } from 'deflector'

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
  const item = (text: string): string => {
    if (text === '') return ''
    const comma = begun ? ',\r\n' : ''
    begun = true
    return `${comma}${dataOf(text)}\n\n`
  }
  return {
    ...dialect,
    framing: () => FRAMING,
    streamEncoder(prompt, reply): StreamEncoder {
      const encoder = dialect.streamEncoder(prompt, reply)
      return { push: event => item(encoder.push(event)) }
    },
    passFrame: (frame, prompt) => item(dialect.passFrame(frame, prompt)),
    ...(streamForm && {
      streamForm: {
        ...streamForm,
        *send(text, prompt, reply) {
          for (const event of streamForm.send(text, prompt, reply)) yield item(event)
        },
      },
    }),
    // The list is closed, so that a client that reads it whole gets to the error.
    encodeStreamError: (error, requestId) => `${item(dialect.encodeStreamError(error, requestId))}]\n`,
  }
}

/** The data of one server-sent event. */
const dataOf = (event: string): string =>
  event
    .split('\n')
    .flatMap(line => (line.startsWith('data:') ? [line.slice('data:'.length).trimStart()] : []))
    .join('\n')
