/**
 * A vendor's own error event inside a stream. `type` is the vendor's word for it (`overloaded_error`), so that a
 * provider can tell a busy vendor from a broken one.
 */
export class StreamFault extends Error {
  override readonly name = 'StreamFault'

  constructor(
    readonly type: string,
    readonly detail: string,
  ) {
    super(`${type}: ${detail}`)
  }
}
