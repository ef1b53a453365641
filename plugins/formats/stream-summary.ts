import type { AnswerEvent, Stop, Usage } from 'deflector'

/** What the events of a stream have said so far of the answer as a whole, which most dialects tell at its end. */
export class StreamSummary {
  model: string
  usage: Usage | undefined
  stop: Stop = { reason: 'unknown' }

  /** `asked`: the model to name until the vendor has named its own. */
  constructor(asked = '') {
    this.model = asked
  }

  note(event: AnswerEvent): void {
    switch (event.type) {
      case 'start':
        if (event.model !== '') this.model = event.model
        this.usage = event.usage
        return
      case 'usage':
        this.usage = { ...this.usage, ...event.usage }
        return
      case 'stop':
        this.stop = event.stop
    }
  }
}
