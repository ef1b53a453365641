import {
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml'
import { interpolate, settingAlone, VARIABLE } from './interpolate.ts'
import { PROBLEMS, type ProblemCode } from './problems.ts'
import { didYouMean } from './suggest.ts'
import type { Position, Problem, Settings, SourceOf, ValueSource } from './types.ts'

// The library would place a duplicate without a value on the line above, so duplicates are looked for here.
const PARSING = { prettyErrors: false, stringKeys: true, uniqueKeys: false }

/** Deeper than any pipeline; an alias inside its own anchor would nest for ever. */
const DEEPEST = 40

/** One key of a mapping. `value` is absent when nothing stands behind the colon. */
export interface Entry {
  readonly key: string
  readonly keyNode: Node
  readonly value: Node | undefined
}

/** A pipeline file as YAML: nodes with their places, and the findings so far. */
export class PipelineText {
  readonly problems: Problem[] = []
  readonly root: Node | undefined
  readonly #lines = new LineCounter()
  readonly #document

  constructor(
    readonly file: string,
    text: string,
    private readonly settings: Settings,
    private readonly sourceOf: SourceOf = () => undefined,
  ) {
    this.#document = parseDocument(text, { lineCounter: this.#lines, ...PARSING })
    for (const { severity, list } of [
      { severity: 'error' as const, list: this.#document.errors },
      { severity: 'warning' as const, list: this.#document.warnings },
    ]) {
      for (const { code, message, pos } of list) {
        this.report('bad_yaml', this.#position(pos[0]), `${message} (${code.toLowerCase()})`, severity)
      }
    }
    visit(this.#document, {
      Map: (_, map) => this.#reportKeys(map),
      Alias: (_, alias) => {
        if (!alias.resolve(this.#document)) this.report('bad_yaml', alias, this.#noAnchor(alias.source))
      },
    })
    this.root = this.follow(this.#document.contents)
  }

  get failed(): boolean {
    return this.problems.some(problem => problem.severity === 'error')
  }

  /** A wrong value, with what it came out of. */
  reportValue(code: ProblemCode, at: Node, message: string, source: ValueSource | undefined): void {
    const said = source ? `${message} (${source.clause})` : message
    this.report(code, at, said, undefined, source && { setting: source.setting, message })
  }

  /** `severity` is the catalogue's, unless the case is milder than its code. */
  report(
    code: ProblemCode,
    at: Position | Node,
    message: string,
    severity: Problem['severity'] = PROBLEMS[code].severity,
    of?: Problem['of'],
  ): void {
    const { line, column } = isNode(at) ? this.at(at) : at
    // A setting that does not exist has been reported already; that its option is now missing says nothing more.
    const isUnset = (one: Problem): boolean => one.code === 'unknown_setting' || one.code === 'unknown_variable'
    const isHere = (one: Problem): boolean => one.line === line && one.column === column
    if (code === 'bad_option' && this.problems.some(one => isHere(one) && isUnset(one))) return
    const { file } = this
    this.problems.push({ file, line, column, severity, code, message, ...(of && { of }) })
  }

  at(node: Node | undefined): Position {
    return this.#position(node?.range?.[0] ?? 0)
  }

  /** The node itself, or what an alias stands for. */
  follow(node: unknown): Node | undefined {
    if (isAlias(node)) return node.resolve(this.#document)
    return isNode(node) ? node : undefined
  }

  /** The keys of a mapping in file order. */
  entries(map: YAMLMap): Entry[] {
    return map.items.flatMap(({ key, value }) => {
      if (!isScalar(key)) return []
      return [{ key: String(key.value), keyNode: key, value: this.follow(value) }]
    })
  }

  /** The mapping behind a key; nothing there reads as an empty one, anything else is reported. */
  mapping(node: Node | undefined, what: string): Entry[] {
    if (node === undefined || (isScalar(node) && node.value === null)) return []
    if (isMap(node)) return this.entries(node)
    this.report('wrong_shape', node, `${what} must be a mapping`)
    return []
  }

  /** The value with its settings filled in. A setting without a value leaves its key out. */
  value(node: Node | undefined, depth = 0): unknown {
    if (depth > DEEPEST) {
      if (node) this.report('bad_yaml', node, 'this nests too deeply')
      return undefined
    }
    if (isMap(node)) {
      const filled = this.entries(node).map(({ key, value }) => [key, this.value(value, depth + 1)] as const)
      return Object.fromEntries(filled.filter(([, value]) => value !== undefined))
    }
    if (isSeq(node)) {
      return node.items.map(item => this.value(this.follow(item), depth + 1)).filter(value => value !== undefined)
    }
    if (!isScalar(node)) return null
    if (typeof node.value !== 'string') return node.value
    return interpolate(node.value, this.settings, setting => this.#reportUnknown(setting, node))
  }

  #reportUnknown(setting: string, node: Node): void {
    const names = Object.keys(this.settings)
    const variables = names.filter(name => name.startsWith(VARIABLE)).map(name => name.slice(VARIABLE.length))
    if (setting.startsWith(VARIABLE)) {
      const name = setting.slice(VARIABLE.length)
      const what = `the environment has no variable "${name}", or it is empty`
      this.report('unknown_variable', node, `${what}${didYouMean(name, variables) || '; set it before the start'}`)
      return
    }
    const hint = didYouMean(
      setting,
      names.filter(name => !name.startsWith(VARIABLE)),
    )
    const instead = `; "\${...}" reads settings: write "\${${VARIABLE}${setting}}" for the environment variable`
    const isVariable = variables.includes(setting) || (hint === '' && /^[A-Z][A-Z0-9_]*$/.test(setting))
    this.report('unknown_setting', node, `there is no setting "${setting}"${isVariable ? instead : hint}`)
  }

  /** The value as it is written, `${` and all. */
  plain(node: Node): unknown {
    return node.toJS(this.#document)
  }

  /** The deepest node that stands on the way along `path`; for a key, where the key is written. */
  find(from: Node | undefined, path: readonly PropertyKey[], wantKey = false): Node | undefined {
    let at = from
    for (const [step, name] of path.entries()) {
      let next: Node | undefined
      if (isMap(at)) {
        const entry = this.entries(at).find(({ key }) => key === name)
        next = wantKey && step === path.length - 1 ? entry?.keyNode : (entry?.value ?? entry?.keyNode)
      } else if (isSeq(at) && typeof name === 'number') next = this.follow(at.items[name])
      if (!next) break
      at = next
    }
    return at
  }

  /** Of the value at `path` below a node, where it came out of a setting. */
  origin(from: Node | undefined, path: readonly PropertyKey[] = []): ValueSource | undefined {
    for (let length = 0; length <= path.length; length++) {
      const node = this.find(from, path.slice(0, length))
      const setting = isScalar(node) && typeof node.value === 'string' ? settingAlone(node.value) : undefined
      if (setting !== undefined) return this.sourceOf(setting, path.slice(length))
    }
    return undefined
  }

  #noAnchor(name: string): string {
    const anchors = new Set<string>()
    visit(this.#document, {
      Node: (_, node) => {
        if ('anchor' in node && typeof node.anchor === 'string') anchors.add(node.anchor)
      },
    })
    const late = anchors.has(name) ? `; "&${name}" comes after it: move it up` : didYouMean(name, anchors)
    return `no anchor "&${name}" stands before "*${name}"${late}`
  }

  #reportKeys(map: YAMLMap): void {
    const seen = new Set<string>()
    for (const { key, keyNode } of this.entries(map)) {
      if (key === '<<') {
        const instead = 'write the keys out, or let an alias stand for the whole value (options: *name)'
        this.report('bad_yaml', keyNode, `merge keys ("<<") are not supported; ${instead}`)
        continue
      }
      if (seen.has(key)) this.report('duplicate_key', keyNode, `"${key}" stands here twice`)
      seen.add(key)
    }
  }

  #position(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
}
