/** What a piece of a prompt is: only plain words may ever be bent; the rest must stand as it is. */
export type TokenKind = 'word' | 'number' | 'code' | 'quoted' | 'symbol'

export interface Token {
  readonly kind: TokenKind
  /** Lower case, but for flags, variables and escapes; what a quotation quotes, without its marks. */
  readonly text: string
  /** As it was written. A short form has it all in its first word: `don't` is `do` with that, and `not` with nothing. */
  readonly raw: string
  /** What stands between the token before and this one: spaces and punctuation. */
  readonly gap: string
}
