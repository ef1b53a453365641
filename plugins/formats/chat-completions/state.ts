import { isObject, type JsonObject, type VendorState } from 'deflector'

/** A reference to state at the vendor, and the field that holds it. */
interface Reference {
  readonly field: string
  readonly id: string
}

/** What of the vendor's state a request needs: files that were sent before, and what the model said aloud. */
export function stateOf({ messages }: JsonObject): VendorState | undefined {
  if (!Array.isArray(messages)) return undefined
  const found: Reference[] = []
  for (let at = 0; at < messages.length; at++) {
    const { content, audio } = messages[at] ?? {}
    if (isObject(audio) && typeof audio.id === 'string') found.push({ field: `messages[${at}].audio.id`, id: audio.id })
    if (!Array.isArray(content)) continue
    for (let place = 0; place < content.length; place++) {
      const part: unknown = content[place]
      const file = isObject(part) ? part.file : undefined
      if (isObject(file) && typeof file.file_id === 'string')
        found.push({ field: `messages[${at}].content[${place}].file.file_id`, id: file.file_id })
    }
  }
  const [first] = found
  return first && { field: first.field, refers: found.map(({ id }) => id), creates: false }
}
