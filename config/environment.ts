import { readFileSync } from 'node:fs'
import { didYouMean } from '../core/pipeline/suggest.ts'
import type { Environment } from './data-dir.ts'
import { problemsOf } from './problems.ts'
import type { Row } from './row.ts'
import { PREFIX, ROWS, SETTINGS, type SettingKey, variablesOf } from './schema.ts'
import type { GivenValue } from './sources.ts'
import { codeOf } from './toml-file.ts'

const HOST_PORT = `${PREFIX}HOST_PORT`

/** `host:port`, `[::1]:port` or `:port`. */
const ADDRESS = /^(?:\[([^\]]+)\]|([^:\s]*)):(\d{1,5})$/

/**
 * Settings from variables that begin with `SERVICE__`; an empty variable counts as unset. `taken` gives the names that a
 * map already has from the settings file; variables match those in any case.
 */
export function readEnvironment(
  env: Environment,
  taken: (key: SettingKey) => readonly string[],
): { readonly given: readonly GivenValue[]; readonly problems: readonly string[] } {
  const set = new Map<string, string>()
  for (const [name, value] of Object.entries(env)) {
    const trimmed = value?.trim()
    if (name.startsWith(PREFIX) && trimmed) set.set(name, trimmed)
  }
  const given: GivenValue[] = []
  const problems: string[] = []
  const offer = (name: string, key: SettingKey, row: Row, value: unknown, path: readonly string[] = []): void => {
    const found = problemsOf(key, row, nested(path, value))
    problems.push(...found.map(({ text }) => `${name}: ${text}`))
    if (found.length === 0) given.push({ key, path, value, source: { kind: 'env', name } })
  }
  const known = new Set<string>([HOST_PORT])

  const address = set.get(HOST_PORT)
  if (address !== undefined) {
    const [, six, host = six, port] = ADDRESS.exec(address) ?? []
    if (port === undefined) problems.push(`${HOST_PORT}: must be host:port, such as 127.0.0.1:8080, not "${address}"`)
    else {
      if (host) offer(HOST_PORT, 'server.host', SETTINGS['server.host'], host)
      offer(HOST_PORT, 'server.port', SETTINGS['server.port'], Number(port))
    }
  }

  for (const [key, row] of ROWS) {
    const variables = variablesOf(key)
    for (const name of variables) known.add(name)
    const offerText = (from: string, written: string): void => {
      const value = parseText(row, written)
      if (value === BROKEN)
        problems.push(`${from}: ${key} must be JSON, and this is not; check its quotes and brackets`)
      else offer(from, key, row, value)
    }
    const name = variables.find(one => set.has(one))
    const written = name === undefined ? undefined : set.get(name)
    if (name !== undefined && written !== undefined) offerText(name, written)
    for (const file of row.file ? variables.map(one => `${one}_FILE`) : []) {
      known.add(file)
      const path = set.get(file)
      if (path === undefined || name !== undefined) continue
      const read = readSecret(path)
      if (read.problem) problems.push(`${file}: ${read.problem}`)
      else offerText(file, read.content)
    }
    for (const [variable, value] of row.depth > 0 ? set : []) {
      const start = variables.find(one => variable.startsWith(`${one}__`))
      if (start === undefined) continue
      known.add(variable)
      const path = variable.slice(start.length + 2).split('__')
      if (path.length !== row.depth || path.includes('')) {
        problems.push(`${variable}: write it as ${start}__${row.depth === 1 ? '<name>' : '<name>__<field>'}`)
        continue
      }
      const named = [nameOf(path[0] ?? '', key, taken(key)), ...path.slice(1).map(one => one.toLowerCase())]
      offer(variable, key, row, leaf(key, row, named, value), named)
    }
  }
  for (const name of set.keys()) {
    if (known.has(name)) continue
    problems.push(
      `${name}: there is no such setting${didYouMean(name, known) || '; "deflector config show" lists them all'}`,
    )
  }
  return { given, problems }
}

const BROKEN = Symbol('broken JSON')

/** Converts text to the form of its row. Text that does not fit stays text, and the row's type reports it. */
export function parseText({ form }: Row, written: string): unknown {
  switch (form) {
    case 'number':
      return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(written) ? Number(written) : written
    case 'boolean':
      return { true: true, '1': true, false: false, '0': false }[written.toLowerCase()] ?? written
    case 'list':
      return written.startsWith('[')
        ? parseJson(written)
        : written
            .split(',')
            .map(name => name.trim())
            .filter(Boolean)
    case 'json':
    case 'map':
      return parseJson(written)
    default:
      return written
  }
}

function parseJson(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    return BROKEN // the reason would quote the text, which may be a key
  }
}

/** A field of a map is a number where its type wants one. */
function leaf(key: SettingKey, row: Row, path: readonly string[], written: string): unknown {
  const number = parseText({ ...row, form: 'number' }, written)
  return problemsOf(key, row, nested(path, written)).length > 0 ? number : written
}

const nested = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inside, name) => ({ [name]: inside }), value)

const fold = (name: string): string => name.toLowerCase().replaceAll('_', '-')

const FOLDED = new Set<SettingKey>(['quota', 'limits', 'usage_pricing'])

/**
 * The name inside a map that a variable means. Variables are mostly in capitals and cannot hold a dash. So first a name
 * of the file matches, in any case and with `_` for `-`. Otherwise a name in capitals becomes lower case, and any other
 * stays as written. Names of providers are always lower case with dashes, and labels
 * of keys mostly.
 */
function nameOf(written: string, key: SettingKey, taken: readonly string[]): string {
  const same = taken.includes(written) ? written : taken.find(name => fold(name) === fold(written))
  if (same !== undefined) return same
  if (FOLDED.has(key)) return fold(written)
  return written === written.toUpperCase() ? written.toLowerCase() : written
}

function readSecret(path: string): { readonly content: string; readonly problem?: string } {
  try {
    const content = readFileSync(path, 'utf8').trim()
    return content ? { content } : { content, problem: `the file ${path} is empty; write the key into it` }
  } catch (error) {
    return {
      content: '',
      problem: `the file ${path} cannot be read (${codeOf(error)}); check the path and its permissions`,
    }
  }
}
