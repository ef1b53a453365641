import { isObject, type JsonObject } from 'deflector'

/** Members of events and items, which vendors leave out now and then. */

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

export const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

export const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** Of the item that an event belongs to. */
export function indexOf({ output_index: index }: JsonObject): number {
  if (typeof index !== 'number') throw new Error('an event belongs to no item')
  return index
}
