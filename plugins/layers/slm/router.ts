import {
  type Answer,
  Cancellation,
  type Exchange,
  type LayerHost,
  type TrailRow,
  traced,
  traces,
  type Usage,
  type Writer,
  type WrittenText,
  wholeAnswer,
} from 'deflector'
import type { HealthStatus } from 'deflector/facets/health'
import { cacheKey } from 'deflector/formats/cache-key'
import { tokensOf } from 'deflector/formats/call-usage'
import type { Classifier, Verdict } from './classifier.ts'
import { type Conversation, conversationOf } from './conversation.ts'
import { faultOf } from './guard.ts'
import { type LocalModel, tooSlow, type Without } from './local-model.ts'
import type { SlmOptions } from './options.ts'
import { SharedRuns } from './shared-runs.ts'
import { COMPLEX } from './tiers.ts'

interface Parts {
  readonly host: Pick<LayerHost, 'clock' | 'name'>
  readonly options: SlmOptions
  readonly classifier: Classifier
  readonly writer: Writer
  readonly local: LocalModel
}

/** Answers simple requests with a small model, and leaves all others to the next layer. */
export class SmallModelRouter {
  readonly #parts: Parts
  readonly #runs = new SharedRuns<Outcome>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  health(): HealthStatus {
    return this.#isDown ? 'degraded' : 'active'
  }

  get #isDown(): boolean {
    return this.#parts.classifier.isDown || this.#parts.local.isDown
  }

  dispose(): void {
    this.#parts.classifier.dispose()
    this.#parts.local.dispose()
  }

  /** The trail says why there is none. */
  async answer(exchange: Exchange): Promise<Answer | undefined> {
    // Who only asks the caches waits for no model.
    if (exchange.kind !== 'chat') return undefined
    const { options } = this.#parts
    const conversation = conversationOf(exchange, options.max_prompt_chars)
    if (typeof conversation === 'string') return pass(exchange, `declined ${conversation}`)
    if (this.#isDown) return pass(exchange, 'model_down')
    const key = cacheKey(exchange)
    if (this.#runs.size >= options.max_waiting && !this.#runs.has(key)) return pass(exchange, 'model_busy')
    const { cancellation } = exchange
    let outcome: Outcome
    try {
      outcome = await this.#runs.share(key, cancellation, work => this.#run(exchange, conversation, work))
    } catch (error) {
      if (!cancellation.cancelled) throw error
      return pass(exchange, 'model_left')
    }
    if (outcome.complexity !== undefined) exchange.attributes?.set('slm.complexity_score', outcome.complexity)
    exchange.note(outcome.note)
    return outcome.ended && this.#answerOf(exchange, conversation.task, outcome.ended)
  }

  async #run(exchange: Exchange, conversation: Conversation, work: Cancellation): Promise<Outcome> {
    const limit = Cancellation.following(work)
    const ms = this.#parts.options.timeout_secs * 1000
    const stop = this.#parts.host.clock.after(ms, () => limit.cancel(tooSlow(ms)))
    try {
      return await this.#runWithin(exchange, conversation, limit)
    } finally {
      stop()
    }
  }

  async #runWithin(exchange: Exchange, conversation: Conversation, limit: Cancellation): Promise<Outcome> {
    const { local, options, classifier, host } = this.#parts
    const began = host.clock.monotonic()
    const verdict = await this.#classify(exchange, conversation, limit)
    if (typeof verdict === 'string') return { note: `model_${verdict}` }
    const { tier, complexity, because } = verdict
    if (tier === COMPLEX) return { note: because === undefined ? 'complex' : `complex ${because}`, complexity }
    const { task, stop, maxTokens = options.max_answer_tokens } = conversation
    const whole = { ...task, maxTokens: Math.min(maxTokens, options.max_answer_tokens) }
    const usedMs = host.clock.monotonic() - began
    const written = await local.write(whole, limit, { usedMs, tooSlow: classifier.tooSlow })
    if (typeof written === 'string') return { note: `model_${written}`, complexity }
    const ended = endedAt(stop, written)
    const fault = faultOf(ended.written, task)
    if (fault !== undefined) return { note: `rejected ${fault}`, complexity }
    return { note: `simple ${tier.toLowerCase()}`, complexity, ended }
  }

  /** Under a span of its own. */
  #classify(exchange: Exchange, conversation: Conversation, limit: Cancellation): Promise<Verdict | Without> {
    const { classifier, host } = this.#parts
    if (!traces.taps.hasSubscribers) return classifier.classify(conversation, exchange, limit, undefined)
    const attributes = new Map<string, string | number | boolean>()
    attributes.set('router.backend', classifier.backend).set('router.model', classifier.model)
    if (classifier.url !== undefined) attributes.set('router.url', classifier.url)
    const row: TrailRow = { hook: 'classify', tap: host.name, ms: 0, outcome: 'passed', omitted: undefined, attributes }
    const run = async (): Promise<Verdict | Without> => {
      const verdict = await classifier.classify(conversation, exchange, limit, attributes)
      // Without a verdict the request is treated as a complex one.
      attributes.set('router.decision', typeof verdict === 'string' ? COMPLEX : verdict.tier)
      row.outcome = typeof verdict === 'string' ? `model_${verdict}` : verdict.tier.toLowerCase()
      return verdict
    }
    const span = { exchange, hook: row.hook, tap: host.name, span: 'l2_classify_intent', row, memos: {} }
    return traced(traces.taps, run, span)
  }

  #answerOf(exchange: Exchange, task: Conversation['task'], { written, sequence }: Ended): Answer {
    const { host, options, writer } = this.#parts
    const now = host.clock.now()
    const text = written.text.trim()
    return wholeAnswer({
      completion: {
        id: exchange.id,
        model: writer.model,
        created: Math.floor(now / 1000),
        blocks: [{ type: 'text', text }],
        stop: sequence === undefined ? { reason: 'stop' } : { reason: 'stop_sequence', sequence },
        usage: written.usage ?? guessedUsage(task, text),
      },
      local: true,
      freshUntil: now + options.answer_ttl_secs * 1000,
    })
  }
}

/** What came of a run. */
interface Outcome {
  /** For the trail: why there is no answer, or what kind of request it answers. */
  readonly note: string
  readonly complexity?: number
  readonly ended?: Ended
}

interface Ended {
  readonly written: WrittenText
  /** The stop sequence that ended it. */
  readonly sequence?: string
}

/** The text up to the first of the client's stop sequences, which writers know nothing of. */
function endedAt(stop: readonly string[], written: WrittenText): Ended {
  let first: { at: number; sequence: string } | undefined
  for (const sequence of stop) {
    const at = sequence === '' ? -1 : written.text.indexOf(sequence)
    if (at >= 0 && (!first || at < first.at)) first = { at, sequence }
  }
  if (!first) return { written }
  return { written: { ...written, text: written.text.slice(0, first.at), finish: 'stop' }, sequence: first.sequence }
}

/** Clients and books want a count where the server gives none. */
function guessedUsage({ system = '', turns }: Conversation['task'], answer: string): Usage {
  const asked = turns.reduce((sum, { text }) => sum + text.length, system.length)
  return { input: tokensOf(asked), output: tokensOf(answer.length), guessed: true }
}

function pass(exchange: Exchange, reason: string): undefined {
  exchange.note(reason)
  return undefined
}
