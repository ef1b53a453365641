import { isObject, type JsonObject, type JsonPath, type PlacedText } from 'deflector'

/** What clients of two vendors call the place up to which a prompt is to be cached. */
const MARKS = ['cache_control', 'prompt_cache_breakpoint'] as const

/** Does a client end the cached part of its prompt with this block, message or tool? */
const hasMark = (value: JsonObject): boolean => MARKS.some(mark => value[mark] !== undefined && value[mark] !== null)

/** The same for what it holds, such as the blocks of a tool's result. */
const holdsMark = ({ content, output }: JsonObject): boolean =>
  [content, output].some(held => listOf(held).some(block => isObject(block) && hasMark(block)))

/**
 * May a vendor drop, clear or sum up turns of a conversation before the model reads it? Then no turn is sure to be seen.
 * Reasoning alone is no turn.
 */
export function mayDropTurns({ truncation, transforms, context_management: managed }: JsonObject): boolean {
  const edits = listOf(isObject(managed) ? managed.edits : managed)
  const isOfTurns = (edit: unknown): boolean => !(isObject(edit) && String(edit.type).startsWith('clear_thinking'))
  return truncation === 'auto' || listOf(transforms).length > 0 || edits.some(isOfTurns)
}

/** Texts of one kind in the order in which a vendor reads them, and how far the client has it cache them. */
export class PlacedTexts<T extends PlacedText> {
  readonly #texts: T[] = []
  #cached = 0

  add(text: T): void {
    this.#texts.push(text)
  }

  /** A value that the vendor reads next: a tool, a block, a message, or the body at its end. */
  pass(value: unknown): void {
    if (isObject(value) && (hasMark(value) || holdsMark(value))) this.#cached = this.#texts.length
  }

  get all(): readonly (T & { readonly cached?: boolean })[] {
    return this.#texts.map((text, at) => (at < this.#cached ? { ...text, cached: true } : text))
  }
}

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/**
 * Visits the texts of a content, which is a text or a list of blocks, and every block. `texts`: does the caller want them?
 */
export function readContent<T extends PlacedText>(
  content: unknown,
  path: JsonPath,
  into: PlacedTexts<T>,
  made: ((text: PlacedText) => T) | undefined,
): void {
  if (typeof content === 'string') {
    if (made) into.add(made({ path, text: content }))
    return
  }
  for (const [at, block] of listOf(content).entries()) {
    if (!isObject(block)) continue
    if (made && typeof block.text === 'string') into.add(made({ path: [...path, at, 'text'], text: block.text }))
    into.pass(block)
  }
}

/** The texts of the first turn of a user, in a list of turns whose words are in the field `content`. */
export function openingIn(turns: unknown, content: string): string {
  if (typeof turns === 'string') return turns
  const first = listOf(turns).find(turn => isObject(turn) && (turn.role ?? 'user') === 'user')
  const said = isObject(first) ? first[content] : undefined
  if (typeof said === 'string') return said
  return listOf(said)
    .flatMap(block => (isObject(block) && typeof block.text === 'string' ? [block.text] : []))
    .join('\n')
}
