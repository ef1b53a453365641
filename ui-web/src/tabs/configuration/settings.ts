import { type Asked, useAnswer } from '../../api/answers.ts'
import type { Answer } from '../../api/ask.ts'
import { isTable, type Setting } from '../../api/settings.ts'
import type { Draft } from './drafts.ts'

export type Config = Answer<'GET /api/admin/config'>

/** The settings file is asked for again now and then: others may edit it. */
export const useConfig = (): Asked<Config> => useAnswer('GET /api/admin/config', {}, 10_000)

/** How a setting is edited. */
export type Kind = 'flag' | 'number' | 'choice' | 'text' | 'secret' | 'list' | 'json'

export function kindOf({ schema, secret }: Pick<Setting, 'schema' | 'secret'>): Kind {
  if (schema.type === 'boolean') return 'flag'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.enum) return 'choice'
  if (schema.type === 'array') return schema.items?.type === 'string' ? 'list' : 'json'
  if (schema.type === 'object') return 'json'
  return secret ? 'secret' : 'text'
}

/** A value as its editor has it. A secret is never there. */
export function textOf(kind: Kind, value: unknown): string {
  if (kind === 'secret' || value === null || value === undefined) return ''
  if (kind === 'list' && Array.isArray(value)) return value.join('\n')
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value)
}

/** What an editor's text means. What it cannot mean is sent as it is: the gateway says what is wrong. */
export function valueIn(kind: Kind, text: string): unknown {
  switch (kind) {
    case 'flag':
      return text === 'true'
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
    case 'list':
      return text.split('\n').flatMap(line => line.trim() || [])
    case 'json':
      return parsed(text)
    default:
      return text
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** A change of a simple setting: `0.85 → 0.95`. Of others the diff says more. */
export function changeText(setting: Setting, draft: Draft): string | undefined {
  const next = draft.value === null ? setting.default : draft.value
  if (setting.secret || [setting.value, next].some(value => isTable(value) || Array.isArray(value))) return undefined
  return `${shown(setting) ?? 'not set'} → ${shown({ value: next, secret: false }) ?? 'not set'}`
}

/** A value in one line. */
export function shown({ value, secret }: Pick<Setting, 'value' | 'secret'>): string | undefined {
  if (value === null || value === '') return undefined
  if (Array.isArray(value) || isTable(value)) {
    const entries = Object.keys(value).length
    if (entries === 0) return undefined
    if (Array.isArray(value) && value.every(one => typeof one === 'string')) return value.join(', ')
    return secret ? `${entries} ${entries === 1 ? 'entry' : 'entries'}` : JSON.stringify(value)
  }
  return String(value)
}
