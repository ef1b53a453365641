import { type Exchange, facet } from 'deflector'

/** What classifier routing makes of a request, and why. */
export interface ClassifierWhy {
  /** Of each head: the likeliest label, its probability, and those of all labels. Absent where nothing was classified. */
  readonly heads?: Readonly<
    Record<
      string,
      {
        readonly label: string
        readonly confidence: number
        readonly probabilities: Readonly<Record<string, number>>
      }
    >
  >
  readonly overallConfidence?: number
  /** The least confidence at which a rule counts. */
  readonly threshold?: number
  /** The first rule that fits the labels, whatever the confidence; and where it leads. */
  readonly rule?: string
  readonly target?: string
  /** A clause for the operator, such as `no rule matched`. */
  readonly because: string
}

/** Classifies a request without routing it. Offered by layers that classify while they are on. */
export const classifierWhy = facet<(exchange: Exchange) => Promise<ClassifierWhy>>('classifier-why')
