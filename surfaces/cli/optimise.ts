import { buffer } from 'node:stream/consumers'
import { fieldPath, isGatewayError, isObject, promptOf, readJson } from 'deflector'
import type { ContextPreview } from 'deflector/facets/context-preview'
import { unifiedDiff } from '../../config/text-diff.ts'
import type { Prompt } from '../../core/chat/format.ts'
import { CommandError } from './failure.ts'
import { previewOf } from './optimise/preview.ts'
import { formatOf } from './optimise/wire-format.ts'

export interface OptimiseOptions {
  readonly format?: string
  readonly pipeline?: string
  readonly json?: boolean
}

/** `deflector optimise < request.json`: what L2.5 would change in a request, as a diff of each text. Sends nothing. */
export async function optimise({ format, pipeline, json }: OptimiseOptions): Promise<void> {
  if (process.stdin.isTTY) throw new CommandError('give the request on stdin: deflector optimise < request.json')
  const prompt = await promptFrom(await buffer(process.stdin), format)
  const preview = await previewOf(prompt, pipeline)
  process.stdout.write(json ? jsonOf(prompt, preview) : linesOf(prompt, preview))
}

async function promptFrom(bytes: Buffer, named: string | undefined): Promise<Prompt> {
  try {
    const body = await readJson(bytes)
    if (!isObject(body)) throw new CommandError('the request must be a JSON object')
    return promptOf(formatOf(body, named), bytes, body)
  } catch (error) {
    if (isGatewayError(error)) throw new CommandError(`the request cannot be read: ${error.message}`)
    throw error
  }
}

const WORDS: Readonly<Record<string, string>> = {
  no_instructions: 'the request holds no instructions that could be shortened',
  cached: 'the client has its vendor cache its instructions (cache_control)',
  unchanged: 'there is nothing to take out of its instructions',
}

function linesOf({ dialect, bytes }: Prompt, { strategy, changes, rewritten, savedBytes }: ContextPreview): string {
  if (!rewritten) return `${dialect.name}: nothing would change, as ${WORDS[strategy] ?? strategy}\n`
  const diffs = changes.map(({ path, before, after, stages }) => {
    const lines = unifiedDiff(before.split('\n').map(shown), after.split('\n').map(shown))
    return `--- ${fieldPath(path)} (${stages.join(', ')})\n${lines}`
  })
  const sizes = `${bytes.length} bytes would be sent as ${rewritten.bytes.length}`
  return `${diffs.join('\n')}${diffs.length > 0 ? '\n' : ''}${dialect.name}: ${sizes}, bytes_saved=${savedBytes}, by ${strategy}\n`
}

/** A text may hold what a terminal would obey. */
const shown = (line: string): string => line.replace(/[\p{Cc}]/gu, sign => (sign === '\t' ? sign : '·'))

function jsonOf(prompt: Prompt, { strategy, changes, rewritten, savedBytes }: ContextPreview): string {
  const told = {
    format: prompt.dialect.name,
    strategy,
    bytes_saved: savedBytes,
    changes: changes.map(({ path, before, after, stages }) => ({ path: fieldPath(path), stages, before, after })),
  }
  // The very bytes: a number would lose digits on the way through its value.
  const body = Buffer.from((rewritten ?? prompt).bytes)
    .toString('utf8')
    .trim()
  return `${JSON.stringify(told, null, 2).replace(/\n}$/, '')},\n  "body": ${body}\n}\n`
}
