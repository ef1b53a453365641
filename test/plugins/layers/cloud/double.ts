import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type Answer,
  CHAT,
  type Frame,
  type LiveAnswer,
  type Log,
  liveAnswer,
  type Provider,
  type ProviderCall,
  ProviderError,
  type ProviderHandle,
  type ProviderReason,
  textAnswer,
} from 'deflector'
import { dispatch } from '../../../../core/dispatch.ts'
import { Flow } from '../../../../core/flow.ts'
import { asTestExchange } from '../../../contracts/exchange.ts'

export const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** What a scripted provider does with one call. */
export type Act = (call: ProviderCall) => Answer | Promise<Answer>

export const says =
  (text: string): Act =>
  () =>
    textAnswer(text, { model: 'parrot-1' })

export const fails =
  (reason: ProviderReason, details: { status?: number; retryAfterMs?: number } = {}): Act =>
  () => {
    throw new ProviderError(reason, `acme said ${reason}`, details)
  }

/** Never answers and does not look at its signal. */
export const hangs: Act = () => new Promise(() => {})

export interface Double extends Provider {
  readonly calls: ProviderCall[]
}

/** A provider that plays its acts in order, the last one for ever, and keeps the calls. */
export function provider(acts: readonly Act[], given: { keys?: readonly string[]; model?: string } = {}): Double {
  const calls: ProviderCall[] = []
  return {
    calls,
    ...(given.model !== undefined && { model: given.model }),
    ...(given.keys && { keys: () => (given.keys ?? []).map(key => ({ key })) }),
    async complete(call) {
      const act = acts[Math.min(calls.length, acts.length - 1)]
      calls.push(call)
      if (!act) throw new Error('this provider has no act')
      return act(call)
    },
  }
}

/** The provider as a layer is handed it: behind the hooks of a flow, here without taps. */
export const handleOf = (name: string, given: Provider, log = quiet): ProviderHandle => ({
  name,
  operations: given.operations ?? [CHAT],
  ...(given.model !== undefined && { model: given.model }),
  ...(given.keys && { keys: () => given.keys?.() ?? [] }),
  ...(given.limits && { limits: given.limits }),
  ...(given.largerContext === true && { largerContext: true }),
  attempt: (exchange, spec) =>
    dispatch(new Flow('test', quiet).hooks, asTestExchange(exchange), { name, provider: given, log }, spec),
})

/** A stream whose frames a test lets go one by one; it breaks off when its call is aborted. */
export class Tap {
  readonly #frames: Frame[] = []
  #wake: () => void = () => {}
  readonly live: LiveAnswer

  constructor(signal?: AbortSignal) {
    this.live = liveAnswer({ format: 'plain', source: this.#flow(signal) })
    signal?.addEventListener('abort', () => this.#wake())
  }

  text(text: string): void {
    this.#frames.push({ events: [{ type: 'text', text }], wire: `data: ${text}\n\n` })
    this.#wake()
  }

  end(): void {
    this.#frames.push({ events: [{ type: 'stop', stop: { reason: 'stop' } }, { type: 'end' }], wire: 'data: end\n\n' })
    this.#wake()
  }

  async *#flow(signal?: AbortSignal): AsyncGenerator<Frame> {
    for (;;) {
      const frame = this.#frames.shift()
      if (signal?.aborted) throw signal.reason
      if (!frame) {
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
        continue
      }
      yield frame
      if (frame.events.some(event => event.type === 'end')) return
    }
  }
}

/** All the text of a live answer. */
export async function read(answer: LiveAnswer): Promise<string> {
  let text = ''
  for await (const { events } of answer.frames())
    for (const event of events) if (event.type === 'text') text += event.text
  return text
}

export function textOf(answer: Answer | undefined): string {
  if (answer?.kind !== 'whole') throw new Error('no whole answer')
  return answer.completion.blocks.map(block => (block.type === 'text' ? block.text : '')).join('')
}

/** Everything that is ready to run has run. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTurn()
}

/** A stream that breaks off after its first words. */
export function liveThen(text: string, broken: () => ProviderError): LiveAnswer {
  async function* source(): AsyncGenerator<Frame> {
    yield { events: [{ type: 'text', text }], wire: `data: ${text}\n\n` }
    throw broken()
  }
  return liveAnswer({ format: 'plain', source: source() })
}
