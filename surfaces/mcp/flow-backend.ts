import { type Arrival, type Call, isGatewayError, promptOf, type SurfaceHost, textAnswer, wholeAnswer } from 'deflector'
import type { McpCaller } from 'deflector/facets/mcp-traces'
import { native } from 'deflector/formats/native'
import { z } from 'zod'
import type { Pair, Question, ToolBackend } from './tools.ts'

/** What all backends of a generation have in common. */
export interface FlowBackendOptions {
  readonly host: SurfaceHost
  readonly namespace: string
  readonly mayStore: boolean
}

const encoded = z.object({ message: z.string() })

/** One call's backend: its questions go through the flow, under the keys of `POST /api/chat {prompt}`. */
export class FlowBackend implements ToolBackend {
  readonly mayStore: boolean
  readonly caller: McpCaller
  readonly #shared: FlowBackendOptions
  readonly #call: Call

  constructor(shared: FlowBackendOptions, call: Call) {
    this.#shared = shared
    this.#call = call
    this.mayStore = shared.mayStore
    this.caller = {
      gateway: shared.host.gateway,
      requestId: call.id,
      sessionId: call.headers['mcp-session-id'],
      protocolVersion: call.headers['mcp-protocol-version'],
    }
  }

  async lookup({ prompt, model }: Question): Promise<string | undefined> {
    const { answer } = await this.#telling(() => this.#shared.host.lookup(this.#arrival({ prompt, model })))
    if (!answer || answer.kind === 'bytes') return undefined
    const { completion } = answer.kind === 'live' ? await answer.whole : answer
    return encoded.parse(native.encodeAnswer(completion, { id: this.#call.id, created: 0, layer: 'l1a' })).message
  }

  async store({ prompt, model, response }: Pair): Promise<void> {
    const { completion } = textAnswer(response, { model: '', id: this.#call.id })
    await this.#telling(() => this.#shared.host.put(this.#arrival({ prompt, model }), wholeAnswer({ completion })))
  }

  /** Fields in the order and shape of a client of the native chat; one that is not given is not there. */
  #arrival({ prompt, model }: Question): Arrival {
    const question = { prompt, ...(model !== undefined && { model }) }
    const { id, headers, cancellation } = this.#call
    const read = async () => promptOf(native, Buffer.from(JSON.stringify(question)), question)
    return { id, namespace: this.#shared.namespace, headers, cancellation, read }
  }

  /** The client hears of an unforeseen failure in general terms; the log has to hear which. */
  async #telling<T>(run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      if (!isGatewayError(error)) {
        const cause = error instanceof Error ? `${error.name}: ${error.message}` : typeof error
        this.#shared.host.log.error('a tool failed', { request_id: this.#call.id, error: cause })
      }
      throw error
    }
  }
}
