import { type Exchange, Memo, type WholeAnswer } from 'deflector'
import { agentOf, type Plain, withoutRunFacts } from './agents/run-facts.ts'
import { keyOf, readyKey } from './cache-key.ts'

/** The keys by which the runs of a coding agent find each other's answers. What is forwarded stays as it is. */

/** The exact key without what a known agent writes anew with each run; of all others, the exact key. */
export async function agentKey(exchange: Exchange): Promise<string> {
  const run = runOf(exchange)
  if (!run) return readyKey(exchange)
  const { session, headers } = exchange
  const isOfRun = session !== undefined && run.sessions.some(name => headers[name] === session)
  return keyOf(exchange, { body: run.body, session: isOfRun ? undefined : session })
}

interface Run extends Plain {
  readonly sessions: readonly string[]
}

/** `null`: no agent that is known. */
const runs = new Memo<Run | null>()

function runOf(exchange: Exchange): Run | null {
  const known = runs.of(exchange)
  if (known !== undefined) return known
  const agent = agentOf(exchange.headers)
  const run = agent ? { ...withoutRunFacts(exchange.prompt.body, agent), sessions: agent.sessions ?? [] } : null
  runs.set(exchange, run)
  return run
}

/**
 * Does the answer repeat what its key leaves out? The next run has another time or id, so that the answer would be wrong
 * there.
 */
export function isOfThisRun(exchange: Exchange, answer: WholeAnswer): boolean {
  const removed = runOf(exchange)?.removed ?? []
  if (removed.length === 0) return false
  const { wire, stream } = answer
  const said = wire
    ? Buffer.from(wire.bytes.buffer, wire.bytes.byteOffset, wire.bytes.byteLength)
    : (stream?.text ?? JSON.stringify(answer.completion))
  return removed.some(part => said.includes(part))
}
