import { exactJson } from './exact-json.ts'

/** Arguments are text; some clients and hosts send the object itself. */
export function argsText(args: unknown): string {
  if (typeof args === 'string') return args
  return args === undefined || args === null ? '' : exactJson(args)
}
