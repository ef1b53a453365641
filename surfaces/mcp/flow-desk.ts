import { type Arrival, type Call, isGatewayError, promptOf, type SurfaceHost, textAnswer, wholeAnswer } from 'deflector'
import { native } from 'deflector/formats/native'
import { z } from 'zod'
import type { Desk, Pair, Question } from './tools.ts'

/** What all desks of a generation have in common. */
export interface Office {
  readonly host: SurfaceHost
  readonly namespace: string
  readonly mayStore: boolean
}

const encoded = z.object({ message: z.string() })

/** One call's desk: its questions go through the flow, under the keys of `POST /api/chat {prompt}`. */
export class FlowDesk implements Desk {
  readonly mayStore: boolean
  readonly #office: Office
  readonly #call: Call

  constructor(office: Office, call: Call) {
    this.#office = office
    this.#call = call
    this.mayStore = office.mayStore
  }

  async lookup({ prompt, model }: Question): Promise<string | undefined> {
    const { answer } = await this.#telling(() => this.#office.host.handle(this.#arrival({ prompt, model })))
    if (!answer) return undefined
    const { completion } = answer.kind === 'live' ? await answer.whole : answer
    return encoded.parse(native.encodeAnswer(completion, { id: this.#call.id, created: 0, layer: 'l1a' })).message
  }

  async store({ prompt, model, response }: Pair): Promise<void> {
    const { completion } = textAnswer(response, { model: model ?? '', id: this.#call.id })
    await this.#telling(() => this.#office.host.put(this.#arrival({ prompt, model }), wholeAnswer({ completion })))
  }

  /** Fields in the order and shape of a client of the native chat; one that is not given is not there. */
  #arrival({ prompt, model }: Question): Arrival {
    const question = { prompt, ...(model !== undefined && { model }) }
    const { id, headers, cancellation } = this.#call
    const read = async () => promptOf(native, Buffer.from(JSON.stringify(question)), question)
    return { id, namespace: this.#office.namespace, headers, cancellation, read }
  }

  /** The client hears of an unforeseen failure in general terms; the log has to hear which. */
  async #telling<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      if (!isGatewayError(error)) {
        const cause = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
        this.#office.host.log.error('a tool failed', { request_id: this.#call.id, error: cause })
      }
      throw error
    }
  }
}
