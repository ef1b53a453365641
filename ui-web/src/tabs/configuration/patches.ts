import { isTable } from '../../api/settings.ts'

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
