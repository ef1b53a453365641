import type { Attributes } from '@opentelemetry/api'
import type { Attempt, AttemptOutcome } from 'deflector'
import { reasonOf } from 'deflector/formats/attempt-records'
import { genAiOperation, vendorName } from 'deflector/formats/gen-ai-names'

/** `chat gpt-5.4-nano`, as the GenAI conventions name the span of a vendor call. */
export const spanName = ({ operation, model }: Attempt): string =>
  model === undefined ? genAiOperation(operation) : `${genAiOperation(operation)} ${model}`

/** What the conventions want to know of a vendor call. No text of it. */
export function attemptAttributes(attempt: Attempt, ended: AttemptOutcome): Attributes {
  const { operation, provider, model, stream } = attempt
  const { outcome, error, status, usage, firstTokenMs } = ended
  return {
    'gen_ai.operation.name': genAiOperation(operation),
    'gen_ai.provider.name': vendorName(provider),
    'service.provider': provider,
    ...(model !== undefined && { 'gen_ai.request.model': model }),
    ...(stream && { 'gen_ai.request.stream': true }),
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(outcome !== 'answered' && { 'error.type': errorType(ended) }),
    ...(outcome === 'failed' && { 'service.reason': reasonOf(error) }),
    ...(stream && firstTokenMs !== undefined && { 'gen_ai.response.time_to_first_chunk': firstTokenMs / 1000 }),
    ...(usage && { 'gen_ai.usage.input_tokens': usage.input, 'gen_ai.usage.output_tokens': usage.output }),
    ...(usage?.cacheRead !== undefined && { 'gen_ai.usage.cache_read.input_tokens': usage.cacheRead }),
    ...(usage?.cacheWrite !== undefined && { 'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite }),
    ...(usage?.reasoning !== undefined && { 'gen_ai.usage.reasoning.output_tokens': usage.reasoning }),
  }
}

/** The vendor's status, or why there was none. */
const errorType = ({ outcome, status, error }: AttemptOutcome): string =>
  outcome === 'cancelled' ? outcome : status === undefined ? reasonOf(error) : String(status)
