import type { JsonObject } from 'deflector'
import type { ItemEvent, StreamItem } from './stream-item.ts'

/** An item that its vendor's dialect alone knows, as it came. */
export class OpaqueItem implements StreamItem {
  readonly complete = true

  constructor(readonly begun: JsonObject) {}

  take(): ItemEvent[] {
    return []
  }

  close(): ItemEvent[] {
    return []
  }

  done(): JsonObject {
    return this.begun
  }
}
