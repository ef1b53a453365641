import { facet } from 'deflector'

/** The provider that a model's name chooses, and the model to ask it for. */
export interface ModelChoice {
  /** Instance name. */
  readonly provider: string
  readonly model: string
  /** The name of the provider stands before the model: no other one may stand in for want of a key. */
  readonly named?: true
}

/** Which provider a model's name chooses; `undefined` for a name that is the primary's. */
export const modelRouting = facet<(model: string) => ModelChoice | undefined>('model-routing')
