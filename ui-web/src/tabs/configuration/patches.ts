import { isTable, type Table } from '../../api/settings.ts'

/** What makes the one value of the other, as RFC 7396 says it; `undefined` where they are equal. */
export function patchOf(before: unknown, after: unknown): unknown {
  if (!isTable(before) || !isTable(after)) return isEqual(before, after) ? undefined : after
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changes = names.flatMap((name): [string, unknown][] => {
    const change = Object.hasOwn(after, name) ? patchOf(before[name], after[name]) : null
    return change === undefined ? [] : [[name, change]]
  })
  return changes.length > 0 ? Object.fromEntries(changes) : undefined
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The same for a map whose order counts: where it changes, the whole map is sent in its new order. */
export function orderedPatchOf(before: unknown, after: Table): unknown {
  const names = isTable(before) ? Object.keys(before) : []
  const gone = names.filter(name => !Object.hasOwn(after, name))
  if (isEqual(names, Object.keys(after))) return patchOf(before, after)
  return { ...Object.fromEntries(gone.map(name => [name, null])), ...after }
}
