/** What the gateway adds to an answer on its way out. */
export interface ReplyFacts {
  /** Random and unique to this delivery; a format puts its own prefix before it. */
  readonly id: string
  /**
   * The vendor's id, whole, of an answer that the client may refer to later; it stands in place of `id`. Formats whose
   * answers are no state never see one.
   */
  readonly vendorId?: string
  /** Unix seconds. */
  readonly created: number
  /** Label of the layer that answered: `l1a`, `l3`. */
  readonly layer: string
  readonly provider?: string
}
