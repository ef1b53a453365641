import { isObject, type JsonObject, type VendorState } from 'deflector'

/** A reference to state at the vendor, and the field that holds it. */
interface Reference {
  readonly field: string
  readonly id: string
}

/**
 * What of the vendor's state a request makes or needs: files that were sent before, and what the model says aloud, which
 * it remembers for an hour or so. Servers of tools act beyond the answer.
 */
export function stateOf({ messages, modalities, tools }: JsonObject): VendorState | undefined {
  const found = Array.isArray(messages) ? referencesIn(messages) : []
  const speaks = Array.isArray(modalities) && modalities.includes('audio')
  const acts = Array.isArray(tools) ? tools.findIndex(tool => isObject(tool) && tool.type === 'mcp') : -1
  const field = found[0]?.field ?? (speaks ? 'audio' : acts < 0 ? undefined : `tools[${acts}]`)
  if (field === undefined) return undefined
  const refers = found.map(({ id }) => id)
  return { field, refers, creates: speaks, ...(speaks && { once: true }), ...(acts >= 0 && { starts: true }) }
}

function referencesIn(messages: readonly unknown[]): Reference[] {
  const found: Reference[] = []
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at]
    if (!isObject(message)) continue
    const { content, audio } = message
    if (isObject(audio) && typeof audio.id === 'string') found.push({ field: `messages[${at}].audio.id`, id: audio.id })
    if (!Array.isArray(content)) continue
    for (let place = 0; place < content.length; place++) {
      const part: unknown = content[place]
      const file = isObject(part) ? part.file : undefined
      if (isObject(file) && typeof file.file_id === 'string')
        found.push({ field: `messages[${at}].content[${place}].file.file_id`, id: file.file_id })
    }
  }
  return found
}

/** What an answer, or a chunk of a stream, says that its vendor remembers of what it said aloud. */
export function stateIn({ choices }: JsonObject): string[] {
  const said = (Array.isArray(choices) ? choices : []).flatMap(choice =>
    isObject(choice) ? [choice.message, choice.delta] : [],
  )
  const ids = said.map(one => (isObject(one) && isObject(one.audio) ? one.audio.id : undefined))
  return ids.filter(id => typeof id === 'string')
}
