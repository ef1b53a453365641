import {
  type Attributes,
  type CallLine,
  Cancellation,
  type Exchange,
  type ExchangeKind,
  type Prompt,
  type RouteChoice,
} from 'deflector'
import { OpenExchange } from '../../core/open-exchange.ts'
import { plainPrompt } from './plain-format.ts'

/** What a test wants to say about an exchange; everything has a default. */
export interface ExchangeFacts {
  readonly id?: string
  readonly kind?: ExchangeKind
  readonly flow?: string
  readonly surface?: string
  readonly namespace?: string
  readonly headers?: Exchange['headers']
  readonly cancellation?: Cancellation
  readonly call?: CallLine
  /** Default: the prompt's. */
  readonly dialect?: string
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

/** One request as a plugin meets it: the gateway's own exchange, its body read, and the test's to look into. */
export class TestExchange extends OpenExchange {
  readonly #attributes: Attributes = new Map()
  /** What was noted, in order. */
  readonly notes: string[] = []
  readonly #given: Prompt | undefined
  readonly #read: { count: number }

  constructor(facts: ExchangeFacts = {}) {
    const prompt = facts.prompt === null ? undefined : (facts.prompt ?? plainPrompt('hello'))
    const { id = 'request1', namespace = 'plain', headers = {}, cancellation = new Cancellation() } = facts
    const { kind = 'chat', flow = 'test', surface = namespace, startedAt = Date.UTC(2026, 0, 1) } = facts
    const read = { count: 0 }
    const body = async (): Promise<Prompt> => {
      read.count++
      return prompt ?? plainPrompt('')
    }
    const { call, dialect = prompt?.dialect.name } = facts
    const arrival = { id, namespace, headers, cancellation, call, dialect, ...(prompt && { read: body }) }
    super(arrival, kind, flow, surface, startedAt)
    this.#given = prompt
    this.#read = read
    this.model = 'model' in facts ? facts.model : prompt?.model
    this.session = facts.session
    this.principal = facts.principal
    this.tenant = facts.tenant
    this.route = facts.route ?? {}
  }

  /** As if there were a tracer. */
  override get attributes(): Attributes {
    return this.#attributes
  }

  /** How often the body was asked for. */
  get reads(): number {
    return this.#read.count
  }

  /** There from the beginning: most tests begin after `receive`. */
  override get prompt(): Prompt {
    if (!this.#given) throw new Error('this call has no prompt')
    return this.#given
  }

  override get opened(): Prompt | undefined {
    return this.#given
  }

  override note(reason: string): void {
    this.notes.push(reason)
    super.note(reason)
  }
}

/** Hooks take the gateway's own exchanges. */
export function asTestExchange(exchange: Exchange): OpenExchange {
  if (exchange instanceof OpenExchange) return exchange
  throw new Error('make the exchange of a test with new TestExchange()')
}
