import type { Cancellation } from './cancellation.ts'
import { GatewayError, toGatewayError } from './errors.ts'
import type { Answer, Attributes, Exchange, Prompt, RouteChoice, TrailRow } from './exchange.ts'
import type { Arrival } from './host.ts'

/** Who stands behind a tap: for the trail, the layer header and the rule of who settles. */
export interface Tapper {
  readonly name: string
  readonly label: string
  readonly deflects: boolean
  /** Observers see every settled answer; layers only those that they were asked for and did not have. */
  readonly observes: boolean
  /** What a span of its taps is called, by hook. */
  readonly spans?: Readonly<Record<string, string | undefined>>
}

/** The exchange as the flow holds it: what plugins see, and the pen that writes its outcome. */
export class OpenExchange implements Exchange {
  readonly id: string
  readonly headers: Exchange['headers']
  readonly cancellation: Cancellation
  readonly memos: Exchange['memos'] = {}
  readonly trail: TrailRow[] = []
  readonly replyHeaders: Record<string, string> = {}
  readonly #arrival: Arrival
  #reading: Promise<Prompt | undefined> | undefined
  #prompt: Prompt | undefined
  #outgoing: Prompt | undefined
  readonly #asked: string[] = []
  #row: TrailRow | undefined
  namespace: string
  model: string | undefined
  session: string | number | undefined
  principal: string | undefined
  tenant: string | undefined
  route: RouteChoice = {}
  layer = 'l0'
  deflected = false
  answeredBy: string | undefined
  answer: Answer | undefined
  failure: GatewayError | undefined

  constructor(
    arrival: Arrival,
    readonly flow: string,
    readonly surface: string,
    readonly startedAt: number,
  ) {
    this.id = arrival.id
    this.namespace = arrival.namespace
    this.headers = arrival.headers
    this.cancellation = arrival.cancellation
    this.#arrival = arrival
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  read(): Promise<Prompt | undefined> {
    this.#reading ??= (this.#arrival.read?.() ?? NO_PROMPT).then(prompt => {
      this.#prompt = prompt
      this.model ??= prompt?.model
      return prompt
    })
    return this.#reading
  }

  /** Undefined until the body is in. */
  get opened(): Prompt | undefined {
    return this.#prompt
  }

  get prompt(): Prompt {
    if (!this.#prompt) throw new GatewayError('internal', 'a plugin asked for the prompt before it was read')
    return this.#prompt
  }

  get outgoing(): Prompt {
    return this.#outgoing ?? this.prompt
  }

  set outgoing(prompt: Prompt) {
    this.#outgoing = prompt
  }

  note(reason: string): void {
    if (this.#row) this.#row.outcome = reason
  }

  get attributes(): Attributes | undefined {
    return this.#row?.attributes
  }

  /** A tap begins: its row in the trail, which `note` writes to, and `attributes` where it is traced. */
  enter(hook: string, tapper: Tapper, traced: boolean): TrailRow {
    // Always all five, in this order: rows of two shapes would slow down whoever reads them.
    const attributes = traced ? new Map() : undefined
    const row: TrailRow = { hook, tap: tapper.name, ms: 0, outcome: 'passed', attributes }
    this.trail.push(row)
    this.#row = row
    if (hook === 'answer') this.#asked.push(tapper.name)
    return row
  }

  answered(tapper: Tapper, answer: Answer): void {
    this.answer = answer
    this.answeredBy = tapper.name
    this.layer = tapper.label
    this.deflected = tapper.deflects
    this.failure = undefined
  }

  failed(error: unknown, tapper?: Tapper): GatewayError {
    if (tapper) this.layer = tapper.label
    this.deflected = false
    this.failure = toGatewayError(error)
    return this.failure
  }

  /** An answer from outside: as if every layer had been asked and none had it. */
  bring(answer: Answer): void {
    this.answer = answer
    this.#asked.push(EVERYBODY)
  }

  /** Is the answer news to this tapper? A stale or joined one is nobody's to store. */
  owes(tapper: Tapper): boolean {
    if (tapper.observes) return true
    if (this.answer?.staleSecs !== undefined || this.answer?.joined) return false
    return this.#asked.includes(EVERYBODY) || (this.#asked.includes(tapper.name) && this.answeredBy !== tapper.name)
  }
}

const EVERYBODY = '*'

const NO_PROMPT: Promise<Prompt | undefined> = Promise.resolve(undefined)
