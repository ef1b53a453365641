/** What goes to the child: a piece of the texts of one request, and the end of them. */
export type ToChild = { readonly id: number; readonly text: string } | { readonly id: number; readonly done: true }

/** What comes back, once for each end. */
export interface FromChild {
  readonly id: number
  readonly tokens: number
}
