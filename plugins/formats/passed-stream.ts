import type { AnswerEvent, Frame, StreamDecoder, WireEvent } from 'deflector'
import { passedUsage } from './passed-usage.ts'

/**
 * Reads a stream of which nothing is known but that it is passed on: each event goes as it came, only its usage is read,
 * and only the transport tells the end of all from a line that broke.
 */
export class PassedStreamDecoder implements StreamDecoder {
  #begun = false

  push({ data }: WireEvent): AnswerEvent[] {
    const usage = passedUsage(data)
    const counted: AnswerEvent[] = usage ? [{ type: 'usage', usage }] : []
    if (this.#begun) return counted
    this.#begun = true
    // The first event counts as the first content: whatever it says, it is not waited for more.
    return [{ type: 'unmodelled', what: 'a stream that is passed through' }, { type: 'text', text: '' }, ...counted]
  }

  finish(framed = false): Frame[] {
    if (!framed) throw new Error('nothing marks the end of this stream')
    return [{ events: [{ type: 'end' }], wire: '' }]
  }
}
