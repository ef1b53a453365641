/** The model works, and cannot take this task (`Writer.write`). */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}
