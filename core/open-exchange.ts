import type { Cancellation } from './cancellation.ts'
import type { Answer } from './chat/answer.ts'
import { CHAT } from './chat/dialect.ts'
import type { Prompt } from './chat/format.ts'
import { GatewayError, toGatewayError, UNDECIDED } from './errors.ts'
import type { Attributes, Exchange, ExchangeKind, Reply, RouteChoice, TrailRow } from './exchange.ts'
import type { Arrival } from './host.ts'

/** Who stands behind a tap: for the trail, the layer header and the rule of who settles. */
export interface Tapper {
  readonly name: string
  readonly label: string
  readonly deflects: boolean
  /** Observers see every settled answer; layers only those that they were asked for and did not have. */
  readonly observes: boolean
  /** Operations that the layer understands; absent: all. */
  readonly operations?: ReadonlySet<string>
  /** Where its plugin is, for the log. */
  readonly file?: string | undefined
  /** What a span of its taps is called, by hook. */
  readonly spans?: Readonly<Record<string, string | undefined>>
}

/**
 * What a plugin works out once about an exchange, or keeps from one hook to the next; it goes with the exchange. Not a
 * `WeakMap`: V8 takes its values for alive at every young collection, and with them all that they lead to.
 */
export class Memo<T> {
  readonly #key = Symbol('memo')

  of({ memos }: Pick<Exchange, 'memos'>): T | undefined {
    return memos[this.#key] as T | undefined // only `set` writes there
  }

  set({ memos }: Pick<Exchange, 'memos'>, value: T): void {
    memos[this.#key] = value
  }
}

/** The exchange as the flow holds it: what plugins see, and the methods that write its outcome. */
export class OpenExchange implements Exchange {
  readonly id: string
  readonly headers: Exchange['headers']
  readonly call: Exchange['call']
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
  mayAdminister: boolean | undefined
  tenant: string | undefined
  credentials: readonly string[] = []
  route: RouteChoice = {}
  traceparent: string | undefined
  layer: string = UNDECIDED
  deflected = false
  decidedBy: string | undefined
  answer: Answer | undefined
  failure: GatewayError | undefined
  reply: Reply | undefined
  #cut: GatewayError | undefined

  constructor(
    arrival: Arrival,
    readonly kind: ExchangeKind,
    readonly flow: string,
    readonly surface: string,
    readonly startedAt: number,
  ) {
    this.id = arrival.id
    this.namespace = arrival.namespace
    this.headers = arrival.headers
    this.call = arrival.call
    this.traceparent = arrival.headers.traceparent
    this.cancellation = arrival.cancellation
    this.#arrival = arrival
  }

  get dialect(): string | undefined {
    return this.#arrival.dialect ?? this.#prompt?.dialect.name
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

  /** Is the request one of those that the tapper understands? Before the body is read there is no telling. */
  concerns({ operations }: Tapper): boolean {
    const operation = this.#prompt?.operation ?? CHAT
    return operations === undefined || operations.has(operation)
  }

  /** The row of the tap that runs. */
  get running(): TrailRow | undefined {
    return this.#row
  }

  /** A tap inside another one is over: `note` is the outer one's again. */
  resume(outer: TrailRow | undefined): void {
    this.#row = outer
  }

  /** A tap begins: its row in the trail, which `note` writes to, and `attributes` where it is traced. */
  enter(hook: string, tapper: Tapper, traced: boolean): TrailRow {
    // Always all six, in this order: rows of two shapes are slower to read.
    const attributes = traced ? new Map() : undefined
    const row: TrailRow = { hook, tap: tapper.name, ms: 0, outcome: 'passed', omitted: undefined, attributes }
    this.trail.push(row)
    this.#row = row
    if (hook === 'answer') this.#asked.push(tapper.name)
    return row
  }

  answered(tapper: Tapper, answer: Answer): void {
    this.answer = answer
    this.decidedBy = tapper.name
    this.layer = tapper.label
    this.deflected = tapper.deflects
    this.failure = undefined
  }

  /** Ends the exchange from outside: it fails of this, whatever else the end makes go wrong. */
  cut(failure: GatewayError): void {
    this.#cut = failure
    this.cancellation.cancel(failure)
  }

  /** Records the failure that the client gets. It is attributed to the first tapper that threw it. */
  failed(error: unknown, tapper?: Tapper): GatewayError {
    const failure = this.#cut ?? toGatewayError(error)
    if (this.failure === failure) return failure
    this.failure = failure
    this.deflected = false
    // A stream that breaks off later stays with the layer that began it.
    if (!tapper && this.answer) return failure
    this.decidedBy = tapper?.name
    // The layer that happens to read a prompt first does not refuse it, and a closed route closes the cloud, whoever says so.
    const hasOwnLayer = failure.code === 'bad_request' || failure.code === 'route_closed'
    this.layer = hasOwnLayer ? failure.layer : (tapper?.label ?? failure.layer)
    return failure
  }

  /** An answer from outside: as if every layer had been asked and none had it. */
  bring(answer: Answer): void {
    this.answer = answer
    this.#asked.push(EVERYBODY)
  }

  /** Is the answer news to this tapper? A stale or joined one must not be stored again. */
  owes(tapper: Tapper): boolean {
    if (tapper.observes) return true
    const { staleSecs, joined } = this.answer?.facts ?? {}
    if (staleSecs !== undefined || joined) return false
    return this.#asked.includes(EVERYBODY) || (this.#asked.includes(tapper.name) && this.decidedBy !== tapper.name)
  }
}

const EVERYBODY = '*'

const NO_PROMPT: Promise<Prompt | undefined> = Promise.resolve(undefined)
