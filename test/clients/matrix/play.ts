import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDocument } from 'yaml'
import { DEFAULT_PIPELINE, startGateway } from '../../support/gateway.ts'
import { tempFolder } from '../../support/opened.ts'
import { startUpstream } from '../../support/upstream.ts'
import type { Case } from './cases.ts'
import { sorted } from './cases.ts'
import type { Answer, Call, Client, Question, Refusal, Session, Turn } from './conversation.ts'
import { reached } from './reached.ts'
import { lastOf } from './thread.ts'

/** A conversation that goes on while the client is given calls. */
const MOST_ROUNDS = 4

export interface Played {
  readonly client: Client
  readonly vendor: string
  readonly what: Case
  readonly stream: boolean
  /** Why the cell was left out. */
  readonly leftOut?: string
  /** What differs; nothing where all is well. */
  readonly wrong: readonly string[]
}

/** One client before one vendor: all cases, on a gateway for each that has settings or errors of its own. */
export async function play(client: Client, vendor: string, cases: readonly Case[]): Promise<Played[]> {
  const played: Played[] = []
  for (const what of cases) {
    for (const stream of [false, true]) {
      const leftOut = leaves(client, what)
      const wrong = leftOut === undefined ? await playOne(client, vendor, what, stream) : []
      played.push({ client, vendor, what, stream, wrong, ...(leftOut !== undefined && { leftOut }) })
    }
  }
  return played
}

function leaves(client: Client, what: Case): string | undefined {
  if (what.byRetry && client.retries === 'never') return 'does not ask again by itself'
  return client.lacks?.[what.title]
}

async function playOne(client: Client, vendor: string, what: Case, stream: boolean): Promise<string[]> {
  const upstream = await startUpstream()
  const gateway = await startGateway({
    upstream,
    provider: vendor,
    settings: { ...what.settings },
    ...(what.keepAliveSecs !== undefined && { pipeline: keptAliveAfter(what.keepAliveSecs) }),
  })
  let at = 0
  upstream.script(() => what.replies[Math.min(at++, what.replies.length - 1)])
  let session: Session | undefined
  try {
    session = await client.open(gateway.url)
    const outcome = await converse(session, what, stream)
    const last = reached(vendor, lastOf(upstream.calls, what.replies))
    const wrong = [
      ...compare(what, outcome, {
        hidden: client.hides !== undefined,
        miscounted: stream && client.miscounts !== undefined,
      }),
      ...missing(what.reached ?? [], last),
    ]
    const limited = !what.heeded || client.retries !== 'always'
    if (limited && what.atMost !== undefined && upstream.calls.length > what.atMost)
      wrong.push(`the vendor got ${upstream.calls.length} calls, not ${what.atMost}`)
    return wrong
  } finally {
    session?.close?.()
    await gateway.close()
    await upstream.close()
  }
}

/** The default pipeline, in which a stream is silent for no longer than this. */
function keptAliveAfter(secs: number): string {
  const document = parseDocument(readFileSync(DEFAULT_PIPELINE, 'utf8'))
  document.setIn(['surfaces', 'http', 'options', 'keep_alive_secs'], secs)
  const file = join(tempFolder('pipeline'), 'pipeline.yaml')
  writeFileSync(file, document.toString())
  return file
}

interface Outcome {
  readonly answer?: Answer
  readonly calls: readonly Call[]
  readonly refusal?: Refusal
}

async function converse(session: Session, what: Case, stream: boolean): Promise<Outcome> {
  const turns: Turn[] = [...what.question.turns]
  const calls: Call[] = []
  const resultOf = (tool: string): string => what.results?.[tool] ?? ''
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const question: Question = { ...what.question, turns }
    let answer: Answer
    try {
      answer = await session.ask(question, stream, resultOf)
    } catch (error) {
      return { calls, refusal: refusalOf(error) }
    }
    calls.push(...(answer.ran ?? []), ...answer.calls)
    if (answer.calls.length === 0) return { answer, calls }
    turns.push({ native: answer.native, calls: answer.calls })
    turns.push({ results: answer.calls.map(call => ({ ...call, text: resultOf(call.name) })) })
  }
  return { calls, refusal: { status: undefined, message: 'the calls never end' } }
}

/** Every client has a place of its own for the status, sometimes inside the error of its last try. */
function refusalOf(error: unknown): Refusal {
  for (let inner = error; inner instanceof Error || (inner && typeof inner === 'object'); ) {
    const { status, statusCode, code, lastError, cause, message } = inner as Record<string, unknown>
    const number = [status, statusCode, code].find(value => typeof value === 'number')
    if (typeof number === 'number') return { status: number, message: String(message) }
    inner = lastError ?? cause
  }
  return { status: undefined, message: error instanceof Error ? (error.stack ?? error.message) : String(error) }
}

interface Unchecked {
  readonly hidden: boolean
  readonly miscounted: boolean
}

function compare(what: Case, { answer, calls, refusal }: Outcome, { hidden, miscounted }: Unchecked): string[] {
  const wrong: string[] = []
  const differ = (field: string, got: unknown, wanted: unknown): void => {
    if (sorted(got) !== sorted(wanted)) wrong.push(`${field} is ${cut(got)}, not ${cut(wanted)}`)
  }
  if (what.refused !== undefined) differ('the status', refusal?.status ?? 'none', what.refused)
  else if (!answer) wrong.push(`no answer: ${refusal?.status} ${cut(refusal?.message)}`)
  if (!answer || !what.answer) return wrong
  if (what.answer.text !== undefined) differ('the text', answer.text, what.answer.text)
  if (what.answer.reasoning !== undefined && !hidden) differ('the reasoning', answer.reasoning, what.answer.reasoning)
  const made = calls.map(({ name, arguments: args }) => [name, args])
  differ('the calls', made, what.answer.calls ?? [])
  if (!miscounted) differ('the tokens', answer.tokens, { input: 7, output: 5 })
  return wrong
}

/** Lines that are not there, or not after the one before. */
function missing(wanted: readonly string[], lines: readonly string[]): string[] {
  let from = 0
  const wrong: string[] = []
  for (const line of wanted) {
    const at = lines.indexOf(line, from)
    if (at === -1) wrong.push(`the vendor does not see ${cut(line)} in ${cut(lines.slice(from))}`)
    else from = at + 1
  }
  return wrong
}

function cut(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > 300 ? `${text.slice(0, 300)}…` : text
}
