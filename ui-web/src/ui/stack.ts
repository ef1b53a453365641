/** One series of a chart whose parts lie on each other. */
export interface Stack {
  readonly name: string
  /** A variable of `tokens.css`. */
  readonly colour: string
  /** One for each of the times. */
  readonly values: readonly number[]
}
