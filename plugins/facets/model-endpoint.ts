import { type Cancellation, facet } from 'deflector'

/** A local model behind HTTP. */
export interface ModelEndpoint {
  /** Without credentials. */
  readonly url: string
  /** Asks the model for something small; rejects where it has no answer. */
  check(cancellation: Cancellation): Promise<void>
}

export const modelEndpoint = facet<ModelEndpoint>('model-endpoint')
