import { isMap, isScalar, type Node, visit } from 'yaml'
import { SECTIONS } from '../../../core/pipeline/read.ts'
import { PipelineText } from '../../../core/pipeline/text.ts'
import type { Position, Settings } from '../../../core/pipeline/types.ts'
import type { Ask } from './wired.ts'

/** Where an instance's options name what it asks for; `undefined` when the name came from a setting's list or a default. */
export function locate(file: string, yaml: string, settings: Settings, { by, name }: Ask): Position | undefined {
  const text = new PipelineText(file, yaml, settings)
  const inside = (node: Node | undefined, key: string): Node | undefined =>
    isMap(node) ? text.entries(node).find(entry => entry.key === key)?.value : undefined
  const section = Object.entries(SECTIONS).find(([, role]) => role === by.role)?.[0] ?? ''
  const options = inside(inside(inside(text.root, section), by.name), 'options')
  let found: Node | undefined
  if (options) {
    visit(options, {
      Scalar: (key, node) => {
        if (found || key === 'key' || !isScalar(node)) return
        const value = text.value(node)
        if (value === name || (Array.isArray(value) && value.includes(name))) found = node
      },
    })
  }
  return found && text.at(found)
}
