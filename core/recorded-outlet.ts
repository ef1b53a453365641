import type { Outlet } from './call.ts'
import type { SentText } from './chat/dialect.ts'

/** An outlet that knows the first and the last text that went through it. */
export class RecordedOutlet implements Outlet {
  #sent: SentText | undefined

  constructor(private readonly outlet: Outlet) {}

  get sent(): SentText | undefined {
    return this.#sent
  }

  write(text: string): Promise<void> | void {
    if (text !== '') this.#sent = { first: this.#sent?.first ?? text, last: text }
    return this.outlet.write(text)
  }

  end(): void {
    this.outlet.end()
  }
}
