import {
  type Answer,
  type Attributes,
  Cancellation,
  type Exchange,
  type GatewayError,
  type Prompt,
  type RouteChoice,
  type TrailRow,
} from 'deflector'
import { plainPrompt } from './plain-format.ts'

/** What a test wants to say about an exchange; everything has a default. */
export interface ExchangeFacts {
  readonly id?: string
  readonly flow?: string
  readonly surface?: string
  readonly namespace?: string
  readonly headers?: Exchange['headers']
  readonly cancellation?: Cancellation
  readonly startedAt?: number
  /** `null` is a call without a prompt. */
  readonly prompt?: Prompt | null
  /** Default: the prompt's own. */
  readonly model?: string | undefined
  readonly session?: string | number
  readonly principal?: string
  readonly tenant?: string
  readonly route?: RouteChoice
}

/** One request as a plugin meets it, without a flow around it. */
export class TestExchange implements Exchange {
  readonly id: string
  readonly flow: string
  readonly surface: string
  namespace: string
  readonly headers: Exchange['headers']
  readonly cancellation: Cancellation
  readonly memos: Exchange['memos'] = {}
  readonly startedAt: number
  readonly replyHeaders: Record<string, string> = {}
  readonly trail: TrailRow[] = []
  /** As if somebody traced. */
  readonly attributes: Attributes = new Map()
  readonly #prompt: Prompt | undefined
  /** How often the body was asked for. */
  reads = 0
  model: string | undefined
  session: string | number | undefined
  principal: string | undefined
  tenant: string | undefined
  route: RouteChoice
  outgoing: Prompt
  layer = 'l0'
  deflected = false
  answer: Answer | undefined
  failure: GatewayError | undefined

  constructor(facts: ExchangeFacts = {}) {
    const prompt = facts.prompt ?? plainPrompt('hello')
    this.#prompt = facts.prompt === null ? undefined : prompt
    this.id = facts.id ?? 'request1'
    this.flow = facts.flow ?? 'chat'
    this.namespace = facts.namespace ?? 'plain'
    this.surface = facts.surface ?? this.namespace
    this.headers = facts.headers ?? {}
    this.cancellation = facts.cancellation ?? new Cancellation()
    this.startedAt = facts.startedAt ?? Date.UTC(2026, 0, 1)
    this.model = 'model' in facts ? facts.model : this.#prompt?.model
    this.session = facts.session
    this.principal = facts.principal
    this.tenant = facts.tenant
    this.route = facts.route ?? {}
    this.outgoing = prompt
  }

  get signal(): AbortSignal {
    return this.cancellation.signal
  }

  get prompt(): Prompt {
    if (!this.#prompt) throw new Error('this call has no prompt')
    return this.#prompt
  }

  async read(): Promise<Prompt | undefined> {
    this.reads++
    return this.#prompt
  }

  note(reason: string): void {
    this.trail.push({ hook: '', tap: '', ms: 0, outcome: reason })
  }

  /** What was noted, in order. */
  get notes(): readonly string[] {
    return this.trail.map(({ outcome }) => outcome)
  }
}
