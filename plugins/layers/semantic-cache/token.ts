/** What a piece of a prompt is: only plain words may ever be bent; the rest must stand as it is. */
export type TokenKind = 'word' | 'number' | 'code' | 'quoted' | 'symbol'

export interface Token {
  readonly kind: TokenKind
  /** Lower case, but for flags, variables and escapes; a number in digits; what a quotation quotes, without its marks. */
  readonly text: string
  /** As it was written. A short form has it all in its first word: `don't` is `do` with that, and `not` with nothing. */
  readonly raw: string
  /** `text` without inflection, for words; `text` for everything else. */
  readonly stem: string
  /** What stands between the token before and this one: spaces and punctuation. */
  readonly gap: string
  /** Of a number: its unit, in one spelling, where it is glued on or is the next word. */
  readonly unit?: string
}
