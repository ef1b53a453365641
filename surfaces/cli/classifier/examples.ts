import { readFile } from 'node:fs/promises'
import { CommandError } from '../failure.ts'

/** A labelled prompt of a file. */
export interface LabelledPrompt {
  readonly prompt: string
  readonly labels: Readonly<Record<string, string>>
}

const PROMPT = 'prompt'

/** Of JSON, it would be the prototype of the objects that hold labels. */
const UNFIT = '__proto__'

interface Wanted {
  /** Default: the fields of the first line. */
  readonly heads?: readonly string[] | undefined
  /** The labels that each head may have. Default: any. */
  readonly labels?: Readonly<Record<string, readonly string[]>>
}

/**
 * Reads labelled prompts: a JSON object a line, with `prompt` and a label for each head. Throws a `CommandError` with the
 * file and line of each mistake.
 */
export async function readExamples(
  files: readonly string[],
  { heads: named, labels = {} }: Wanted = {},
): Promise<{ readonly heads: readonly string[]; readonly examples: readonly LabelledPrompt[] }> {
  const problems: string[] = []
  const examples: LabelledPrompt[] = []
  const places = new Map<string, string>()
  let heads = named
  for (const file of files) {
    for (const { at, text } of await linesOf(file)) {
      const line = objectIn(text)
      if (!line) {
        problems.push(`${at}: this is no JSON object`)
        continue
      }
      heads ??= Object.keys(line).filter(field => field !== PROMPT)
      const read = exampleOf(line, heads)
      if (typeof read === 'string') {
        problems.push(`${at}: ${read}`)
        continue
      }
      problems.push(...unknownLabels(read, labels).map(unknown => `${at}: ${unknown}`))
      const before = places.get(read.prompt)
      if (before !== undefined) problems.push(`${at}: the same prompt stands at ${before}`)
      places.set(read.prompt, at)
      examples.push(read)
    }
  }
  if (problems.length > 0) throw new CommandError(...problems.slice(0, MOST_PROBLEMS))
  if (examples.length === 0) throw new CommandError(`${files.join(', ')}: there is no example`)
  if (!heads || heads.length === 0)
    throw new CommandError(`${files[0]}:1: the line has no label beside "${PROMPT}", such as "task_type": "review"`)
  return { heads, examples }
}

const MOST_PROBLEMS = 20
/** Some editors begin a file with it. */
const BYTE_ORDER_MARK = /^\ufeff/

async function linesOf(file: string): Promise<{ readonly at: string; readonly text: string }[]> {
  const text = await readFile(file, 'utf8').catch(error => {
    throw new CommandError(`${file}: cannot be read (${error instanceof Error ? error.message : error})`)
  })
  return text
    .replace(BYTE_ORDER_MARK, '')
    .split('\n')
    .flatMap((line, at) => (line.trim() === '' ? [] : { at: `${file}:${at + 1}`, text: line }))
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/** The example, or what is wrong with the line. */
function exampleOf(line: Readonly<Record<string, unknown>>, heads: readonly string[]): LabelledPrompt | string {
  const { [PROMPT]: prompt } = line
  if (typeof prompt !== 'string' || prompt.trim() === '') return `"${PROMPT}" is missing or no text`
  const labels: Record<string, string> = {}
  for (const head of heads) {
    if (head === UNFIT) return `"${UNFIT}" cannot be the name of a label`
    const label = line[head]
    if (typeof label !== 'string' || label === '') return `"${head}" is missing or no text`
    labels[head] = label
  }
  return { prompt, labels }
}

const unknownLabels = ({ labels }: LabelledPrompt, known: NonNullable<Wanted['labels']>): string[] =>
  Object.entries(known).flatMap(([head, all]) => {
    const label = labels[head]
    if (label === undefined || all.includes(label)) return []
    return `"${label}" is no ${head} of the artifact; it has ${all.join(', ')}`
  })
