import type { Attempt, AttemptOutcome } from 'deflector'
import type { Metric, MetricAttributes } from 'deflector/facets/metrics'
import { reasonOf } from 'deflector/formats/attempt-records'
import { genAiOperation, vendorName } from 'deflector/formats/gen-ai-names'
import { OPERATION_BOUNDS, PER_TOKEN_BOUNDS, TOKEN_BOUNDS } from './labels.ts'
import { Histogram } from './series.ts'

const CALL = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model']

/** Vendor calls, by the names of OpenTelemetry's conventions for generative AI. A deflected request has none. */
export class GenAiMetrics {
  readonly #durations = new Histogram(
    {
      name: 'gen_ai.client.operation.duration',
      help: 'Time of one vendor call.',
      unit: 's',
      attributes: [...CALL, 'error.type'],
    },
    OPERATION_BOUNDS,
  )
  readonly #tokens = new Histogram(
    {
      name: 'gen_ai.client.token.usage',
      help: 'Tokens of one vendor call, where the vendor counted them.',
      unit: '{token}',
      attributes: [...CALL, 'gen_ai.token.type'],
    },
    TOKEN_BOUNDS,
  )
  readonly #firstChunks = new Histogram(
    {
      name: 'gen_ai.client.operation.time_to_first_chunk',
      help: 'Time from a streamed vendor call to its first content.',
      unit: 's',
      attributes: CALL,
    },
    OPERATION_BOUNDS,
  )

  readonly #perToken = new Histogram(
    {
      name: 'gen_ai.server.time_per_output_token',
      help: 'Time for each token behind the first content of a streamed answer, where the vendor counted them.',
      unit: 's',
      attributes: CALL,
    },
    PER_TOKEN_BOUNDS,
  )

  add(attempt: Attempt, { outcome, error, status, usage, firstTokenMs, ms }: AttemptOutcome): void {
    // No vendor was called.
    if (outcome === 'refused') return
    const call = callAttributes(attempt)
    const failure = outcome === 'cancelled' ? outcome : status === undefined ? reasonOf(error) : String(status)
    this.#durations.record({ ...call, ...(outcome !== 'answered' && { 'error.type': failure }) }, ms / 1000)
    if (usage) {
      this.#tokens.record({ ...call, 'gen_ai.token.type': 'input' }, usage.input)
      this.#tokens.record({ ...call, 'gen_ai.token.type': 'output' }, usage.output)
    }
    if (!attempt.stream || firstTokenMs === undefined) return
    this.#firstChunks.record(call, firstTokenMs / 1000)
    const further = (usage?.output ?? 0) - 1
    if (outcome === 'answered' && further > 0) this.#perToken.record(call, (ms - firstTokenMs) / 1000 / further)
  }

  read(): Metric[] {
    return [this.#durations, this.#tokens, this.#firstChunks, this.#perToken].map(metric => metric.read())
  }
}

const LONGEST_NAME = 100

const callAttributes = ({ operation, provider, model }: Attempt): MetricAttributes => ({
  'gen_ai.operation.name': genAiOperation(operation),
  'gen_ai.provider.name': vendorName(provider),
  'gen_ai.request.model': (model ?? 'default').slice(0, LONGEST_NAME),
})
