import type { Gateway } from './gateway.ts'
import { type Load, load } from './load.ts'
import { cpuOf } from './processes.ts'

/** Requests a second, and microseconds of processor time for each. */
export interface Cost {
  readonly perSecond: number
  readonly cpuUs: number
}

/** What chat requests over 16 connections cost in `ms` milliseconds. */
export async function cost({ port, pid }: Gateway, body: Load['body'], ms: number): Promise<Cost> {
  const before = cpuOf(pid).own
  const { perSecond, requests } = await load({ port, path: '/v1/chat/completions', connections: 16, ms, body })
  return { perSecond, cpuUs: (1000 * (cpuOf(pid).own - before)) / requests }
}

export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
