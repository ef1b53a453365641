import type { AnswerEvent, Frame, StreamDecoder } from 'deflector'

/**
 * Reads a stream of which nothing is known but that it is passed on: each event goes as it came, and only the transport
 * tells the end of all from a line that broke.
 */
export class PassedStreamDecoder implements StreamDecoder {
  #begun = false

  push(): AnswerEvent[] {
    if (this.#begun) return []
    this.#begun = true
    // The first event counts as the first content: whatever it says, it is not waited for more.
    return [
      { type: 'unmodelled', what: 'a stream that is passed through' },
      { type: 'text', text: '' },
    ]
  }

  finish(framed = false): Frame[] {
    if (!framed) throw new Error('nothing marks the end of this stream')
    return [{ events: [{ type: 'end' }], wire: '' }]
  }
}
