import { dirname } from 'node:path'
import { isObject } from '../json/object.ts'
import { type Found, LoadError, type Loader } from './loader.ts'
import { misplaced, namesOf } from './misplaced.ts'
import { checkValue } from './options.ts'
import { type Declared, SECTIONS } from './sections.ts'
import { didYouMean } from './suggest.ts'
import type { PipelineText } from './text.ts'
import type { Instance, ValueSource } from './types.ts'

/** The plugin of a declared instance, loaded, with its options checked. `undefined` after a problem was reported. */
export async function makeInstance(
  text: PipelineText,
  one: Declared,
  all: readonly Declared[],
  loader: Loader,
): Promise<Instance | undefined> {
  const { role, name, use, flow, keyNode, useNode, optionsNode } = one
  if (use === undefined) return undefined
  let found: Found
  try {
    found = await loader.load(role, use, dirname(text.file))
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    if (error.code === 'unknown_plugin') await reportUnknown(text, one, all, loader, error)
    else text.reportValue(error.code, useNode, error.message, useOrigin(text, one))
    return undefined
  }
  const { plugin, preset } = found
  const before = text.problems.length
  const options = checkValue(text, {
    owner: `${role} "${name}"`,
    word: 'option',
    schema: plugin.options,
    value: { ...preset, ...one.options },
    node: optionsNode,
    fallback: keyNode,
    ...(one.inSetting && { inSetting: [...one.inSetting, 'options'] }),
  })
  if (text.problems.length > before) return undefined
  if (plugin.needsFlow && flow === undefined) {
    text.report('missing_flow', keyNode, `surface "${name}" answers by a flow: add "flow:" with a name from "flows"`)
  }
  const file = found.origin === 'built-in' ? {} : { file: found.file }
  return { role, name, plugin, ...file, options, at: text.at(keyNode), ...(flow !== undefined && { flow }) }
}

async function reportUnknown(
  text: PipelineText,
  one: Declared,
  all: readonly Declared[],
  loader: Loader,
  error: LoadError,
): Promise<void> {
  const { role, name, use = name, useNode, implicit } = one
  const wrongPlace = implicit && role === 'layer' ? await misplaced(one, all, loader, dirname(text.file)) : undefined
  if (wrongPlace !== undefined) {
    text.report('wrong_role', useNode, wrongPlace)
    return
  }
  for (const [section, other] of Object.entries(SECTIONS)) {
    if (other === role || !(await namesOf(loader, other)).includes(use)) continue
    const what = `"${use}" is a ${other}, not a ${role}; declare it under "${section}"`
    text.reportValue('wrong_role', useNode, what, useOrigin(text, one))
    return
  }
  const builtIn = await namesOf(loader, role)
  if (implicit && role === 'layer') {
    const byHand = all.filter(one => one.role === 'layer' && !one.implicit).map(one => one.name)
    const hint = didYouMean(name, [...byHand, ...builtIn])
    text.report('unknown_layer', useNode, `there is no layer "${name}", neither declared nor built in${hint}`)
  } else text.reportValue(error.code, useNode, `${error.message}${didYouMean(use, builtIn)}`, useOrigin(text, one))
}

/** The setting that names the plugin, where one does. */
const useOrigin = (text: PipelineText, { useNode, inSetting }: Declared): ValueSource | undefined =>
  text.origin(useNode, inSetting && [...inSetting, 'use'])

/** Two listeners cannot have one port. The number 0 asks the system for a free one. */
export function checkPorts(text: PipelineText, surfaces: readonly Instance[]): void {
  const taken = new Map<number, string>()
  for (const { name, options, at } of surfaces) {
    const port = isObject(options) ? options.port : undefined
    if (typeof port !== 'number' || port === 0) continue
    const other = taken.get(port)
    if (other === undefined) taken.set(port, name)
    else text.report('duplicate_port', at, `surfaces "${other}" and "${name}" both listen on port ${port}`)
  }
}
