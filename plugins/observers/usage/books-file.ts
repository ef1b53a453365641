import { readFile, rename, writeFile } from 'node:fs/promises'
import { timeSlice } from 'deflector'
import { z } from 'zod'
import type { Aggregates } from './aggregates.ts'

/** What another version wrote is made anew from the log. */
const VERSION = 3

const schema = z.object({
  v: z.literal(VERSION),
  /** Bytes of the day's log that are added up here. */
  offset: z.int().nonnegative(),
  hours: z.record(z.string(), z.record(z.string(), z.record(z.string(), z.array(z.number())))),
})

/** Writes the sums of one day beside its log, whole or not at all. */
export async function saveBooks(path: string, aggregates: Aggregates, day: number, offset: number): Promise<void> {
  const yieldIfDue = timeSlice()
  const hours: string[] = []
  for (const [hour, tables] of aggregates.written(day)) {
    hours.push(`"${hour}":${JSON.stringify(tables)}`)
    const wait = yieldIfDue()
    if (wait) await wait
  }
  const next = `${path}.next`
  await writeFile(next, `{"v":${VERSION},"offset":${offset},"hours":{${hours.join(',\n')}}}\n`, { mode: 0o600 })
  await rename(next, path)
}

/** Adds the sums of a day that was written down; returns how many bytes of its log they stand for. */
export async function loadBooks(path: string, aggregates: Aggregates, logSize: number): Promise<number> {
  const text = await readFile(path, 'utf8').catch(() => undefined)
  if (text === undefined) return 0
  let books: z.infer<typeof schema>
  try {
    books = schema.parse(JSON.parse(text))
  } catch {
    return 0 // a broken one is made anew from the log
  }
  // Books of more than there is belong to another log.
  if (books.offset > logSize) return 0
  for (const [hour, tables] of Object.entries(books.hours)) aggregates.restore(Number(hour), tables)
  return books.offset
}
