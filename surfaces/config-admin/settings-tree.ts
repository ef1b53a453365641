import { isObject } from 'deflector'
import type { ControlledSetting } from 'deflector/facets/control'

/** Settings by the parts of their keys: `server.port` stands in `server`. */
export function settingsTree(settings: readonly ControlledSetting[]): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const { key, ...setting } of settings) {
    const names = key.split('.')
    const last = names.pop() ?? key
    let table = root
    for (const one of names) {
      const inside = table[one]
      const next = isObject(inside) ? inside : {}
      table[one] = next
      table = next
    }
    table[last] = setting
  }
  return root
}
