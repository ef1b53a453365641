import type { Attributes, Cancellation, Exchange } from 'deflector'
import type { Conversation } from './conversation.ts'
import type { Without } from './local-model.ts'

/** What a classifier makes of a request. */
export interface Verdict {
  /** One of its mode. */
  readonly tier: string
  /** How complex the request is, 0 to 1. */
  readonly complexity: number
  /** Why it is COMPLEX, where that is not what the classifier said. */
  readonly because?: string
}

/** Tells requests that a small model may answer from others. */
export interface Classifier {
  /** For spans. */
  readonly backend: 'embedded_candle' | 'remote_vllm'
  readonly model: string
  readonly url?: string | undefined
  /** It failed, and is not asked. */
  readonly isDown: boolean
  dispose(): void
  /** It left the writer too little of the time that both share. Absent where nothing would come of it. */
  readonly tooSlow?: (error: unknown) => void
  /** `attributes`: of its span, where there is one. */
  classify(
    conversation: Conversation,
    exchange: Exchange,
    limit: Cancellation,
    attributes: Attributes | undefined,
  ): Promise<Verdict | Without>
}
