import { z } from 'zod'
import { shortened, wrapped } from '../../ui-tui/terminal-text.ts'
import { askCacheAdmin, type CacheOptions } from './ask-cache-admin.ts'
import { CommandError } from './failure.ts'

export interface WhyOptions extends CacheOptions {
  readonly surface?: string
  readonly model?: string
  readonly json?: boolean
}

const candidate = z.object({
  prompt: z.string(),
  hit: z.boolean(),
  similarity: z.number(),
  probability: z.number().optional(),
  rule: z.string().optional(),
})
const cache = z.object({
  hit: z.boolean(),
  because: z.string(),
  facts: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).default({}),
  candidates: z.array(candidate).default([]),
})
const explained = z.object({
  surface: z.string(),
  surfaces: z.array(z.string()),
  model: z.string().nullable(),
  answers: z.string().nullable(),
  caches: z.record(z.string(), cache),
})

/** Columns where the output is no terminal. */
const COLUMNS = 80
/** Fewer would leave no room for a prompt beside its numbers. */
const FEWEST = 60

/** `deflector cache why <prompt> [other]`: what the caches of the running gateway would do, and why. Changes nothing. */
export async function why(prompt: string, other: string | undefined, options: WhyOptions): Promise<void> {
  for (const text of [prompt, other])
    if (text !== undefined && text.trim() === '') throw new CommandError('a prompt must not be blank')
  const { surface, model, json } = options
  const found = await askCacheAdmin(options, explained, '/why', { prompt, other, surface, model })
  const columns = Math.max(FEWEST, process.stdout.columns ?? COLUMNS)
  const text = json ? JSON.stringify(found, null, 2) : linesOf(found, other !== undefined, columns).join('\n')
  process.stdout.write(`${text}\n`)
}

function linesOf(found: z.output<typeof explained>, two: boolean, columns: number): string[] {
  const { surface, surfaces, model, answers, caches } = found
  const others = surfaces.filter(name => name !== surface)
  const given = two ? ' the prompt with the answer to the other one, were it the only one stored' : ''
  return [
    answers === null ? `no cache would answer${given}` : `${answers} would answer${given}`,
    ...wrapped(`surface ${surface}${others.length > 0 ? ` (others: ${others.join(', ')})` : ''}`, columns),
    ...(model === null ? [] : wrapped(`model ${model}`, columns)),
    ...Object.entries(caches).flatMap(([name, one]) => ['', ...cacheLines(name, one, columns)]),
  ]
}

function cacheLines(
  name: string,
  { hit, because, facts, candidates }: z.output<typeof cache>,
  columns: number,
): string[] {
  const names = Object.keys(facts)
  const wide = Math.max(0, ...names.map(({ length }) => length)) + 4
  return [
    ...wrapped(`${name}: ${hit ? 'hit' : 'miss'}, ${because}`, columns),
    ...Object.entries(facts).flatMap(([fact, value]) =>
      wrapped(valueText(value), columns - wide).map((line, at) => `  ${at === 0 ? fact : ''}`.padEnd(wide) + line),
    ),
    ...table(candidates, columns),
  ]
}

/** One line for each candidate; the first hit is the one that is served. */
function table(candidates: readonly z.output<typeof candidate>[], columns: number): string[] {
  if (candidates.length === 0) return []
  const rules = Math.max('rule'.length, ...candidates.map(({ rule = '' }) => Math.min(rule.length, 16)))
  const row = (
    ...[number, similarity, probability, rule, prompt]: readonly [string, string, string, string, string]
  ): string => {
    const numbers = `  ${number.padStart(3)}  ${similarity.padEnd(10)}  ${probability.padEnd(11)}  ${rule.padEnd(rules)}  `
    return (numbers + shortened(prompt, columns - numbers.length)).trimEnd()
  }
  return [
    row('', 'similarity', 'probability', 'rule', 'stored prompt'),
    ...candidates.map(({ prompt, hit, similarity, probability, rule }, at) =>
      row(
        `${hit ? '*' : ' '}${at + 1}`,
        similarity.toFixed(4),
        probability?.toFixed(4) ?? '-',
        rule === undefined ? '-' : shortened(rule, rules),
        prompt,
      ),
    ),
  ]
}

function valueText(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(4) : String(value)
}
