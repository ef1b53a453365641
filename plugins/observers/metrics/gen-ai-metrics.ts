import type { Attempt, AttemptOutcome } from 'deflector'
import type { Metric, MetricAttributes } from 'deflector/facets/metrics'
import { reasonOf } from 'deflector/formats/attempt-records'
import type { ExchangeRecord } from 'deflector/formats/exchange-record'
import { genAiOperation, type ServerAttributes, vendorName } from 'deflector/formats/gen-ai-names'
import { OPERATION_BOUNDS, PER_TOKEN_BOUNDS, TOKEN_BOUNDS } from './labels.ts'
import { Histogram } from './series.ts'

const CALL = ['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model']
/** What is known where the vendor answered, and where it was asked. */
const ANSWERED = [...CALL, 'gen_ai.response.model', 'server.address', 'server.port']

/** Vendor calls, by the names of OpenTelemetry's conventions for generative AI. A deflected request has none. */
export class GenAiMetrics {
  readonly #durations = new Histogram(
    {
      name: 'gen_ai.client.operation.duration',
      help: 'Time of one vendor call.',
      unit: 's',
      attributes: [...ANSWERED, 'error.type'],
    },
    OPERATION_BOUNDS,
  )
  readonly #tokens = new Histogram(
    {
      name: 'gen_ai.client.token.usage',
      help: 'Tokens of one vendor call, where the vendor counted them.',
      unit: '{token}',
      attributes: [...ANSWERED, 'gen_ai.token.type'],
    },
    TOKEN_BOUNDS,
  )
  readonly #firstChunks = new Histogram(
    {
      name: 'gen_ai.client.operation.time_to_first_chunk',
      help: 'Time from a streamed vendor call to its first content.',
      unit: 's',
      attributes: ANSWERED,
    },
    OPERATION_BOUNDS,
  )
  readonly #perChunk = new Histogram(
    {
      name: 'gen_ai.client.operation.time_per_output_chunk',
      help: 'Time from one piece of content of a streamed answer to the next, on average over the answer.',
      unit: 's',
      attributes: ANSWERED,
    },
    OPERATION_BOUNDS,
  )
  readonly #requests = new Histogram(
    {
      name: 'gen_ai.server.request.duration',
      help: 'Time from a request to the end of its answer, whoever gave it.',
      unit: 's',
      attributes: ['gen_ai.operation.name', 'gen_ai.request.model', 'error.type'],
    },
    OPERATION_BOUNDS,
  )

  readonly #perToken = new Histogram(
    {
      name: 'gen_ai.server.time_per_output_token',
      help: 'Time for each token behind the first content of a streamed answer, where the vendor counted them.',
      unit: 's',
      attributes: ANSWERED,
    },
    PER_TOKEN_BOUNDS,
  )

  /** A vendor call ended. `server`: where it went. */
  add(attempt: Attempt, ended: AttemptOutcome, server: ServerAttributes | undefined): void {
    const { outcome, error, status, usage, chunks, firstTokenMs, ms } = ended
    // No vendor was called.
    if (outcome === 'refused') return
    const call = callAttributes(attempt, ended, server)
    const failure = outcome === 'cancelled' ? outcome : status === undefined ? reasonOf(error) : String(status)
    this.#durations.record({ ...call, ...(outcome !== 'answered' && { 'error.type': failure }) }, ms / 1000)
    if (usage) {
      this.#tokens.record({ ...call, 'gen_ai.token.type': 'input' }, usage.input)
      this.#tokens.record({ ...call, 'gen_ai.token.type': 'output' }, usage.output)
    }
    if (!attempt.stream || firstTokenMs === undefined) return
    this.#firstChunks.record(call, firstTokenMs / 1000)
    if (outcome !== 'answered') return
    const seconds = (ms - firstTokenMs) / 1000
    const tokens = (usage?.output ?? 0) - 1
    if (tokens > 0) this.#perToken.record(call, seconds / tokens)
    if (chunks !== undefined && chunks > 1) this.#perChunk.record(call, seconds / (chunks - 1))
  }

  /** A client's request ended. */
  request(operation: string, { model, error, latency_ms }: ExchangeRecord): void {
    const attributes = {
      'gen_ai.operation.name': genAiOperation(operation),
      'gen_ai.request.model': named(model),
      ...(error !== null && { 'error.type': error }),
    }
    this.#requests.record(attributes, latency_ms / 1000)
  }

  read(): Metric[] {
    const calls = [this.#durations, this.#tokens, this.#firstChunks, this.#perChunk, this.#perToken]
    return [...calls, this.#requests].map(metric => metric.read())
  }
}

const LONGEST_NAME = 100

const named = (model: string | null | undefined): string => (model ?? 'default').slice(0, LONGEST_NAME)

function callAttributes(
  { operation, provider, model }: Attempt,
  { answer }: AttemptOutcome,
  server: ServerAttributes | undefined,
): MetricAttributes {
  const answeredBy = answeredModel(answer)
  const { 'server.address': address, 'server.port': port } = server ?? {}
  return {
    'gen_ai.operation.name': genAiOperation(operation),
    'gen_ai.provider.name': vendorName(provider),
    'gen_ai.request.model': named(model),
    ...(answeredBy !== undefined && { 'gen_ai.response.model': named(answeredBy) }),
    ...(address !== undefined && { 'server.address': address }),
    ...(port !== undefined && { 'server.port': String(port) }),
  }
}

/** The model that a vendor says it used. Bytes that nothing can read may have gone to a client all the same. */
function answeredModel(answer: AttemptOutcome['answer']): string | undefined {
  try {
    return answer?.kind === 'whole' ? answer.completion.model : undefined
  } catch {
    return undefined
  }
}
