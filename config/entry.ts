/** An entry of a section of the pipeline. */
export interface Entry {
  readonly use: string
  readonly options: Readonly<Record<string, unknown>>
}
