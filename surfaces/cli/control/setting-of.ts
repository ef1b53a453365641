import { changeName, changesIn } from '../../../config/changes.ts'

/** The names that a patch has, dotted, down to its values. */
export function namesIn(patch: Readonly<Record<string, unknown>>): string[] {
  try {
    return changesIn(patch).flatMap(change => [changeName(change), change.key])
  } catch {
    return []
  }
}

/** The setting of a patch that a message is about: the one that it names, or the only one there is. */
export function settingIn(message: string, names: readonly string[]): string | null {
  const words = new Set(message.match(/[\w.-]+/g)?.map(word => word.replace(/\.$/, '')))
  const named = names.filter(name => words.has(name) || [...words].some(word => word.startsWith(`${name}.`)))
  const [longest] = named.toSorted((a, b) => b.length - a.length)
  const keys = new Set(names)
  return longest ?? (keys.size === 1 ? ([...keys][0] ?? null) : null)
}
