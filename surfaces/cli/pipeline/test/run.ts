import { setMaxListeners } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Loader } from '../../../../core/pipeline/loader.ts'
import type { Position, Problem, Settings } from '../../../../core/pipeline/types.ts'
import { answerText, parsed } from './answer-text.ts'
import { type Received, send } from './client.ts'
import { matchSame, matchSubset, matchText } from './match.ts'
import { type Expectation, type PipelineTest, readTests, type Step } from './section.ts'
import type { Sent } from './stub-upstream.ts'
import { startFailure, Trial } from './trial.ts'

/** Real milliseconds until a reply is given up. */
const PATIENCE = 15_000

interface TestResult {
  readonly name: string
  readonly at: Position
  /** Empty when the test passed. */
  readonly differences: readonly string[]
}

export interface FileResult {
  readonly file: string
  /** What is wrong with the tests themselves. */
  readonly problems: readonly Problem[]
  readonly results: readonly TestResult[]
}

export interface Surroundings {
  readonly loader: Loader
  /** The defaults, with a test's own settings on top. */
  settings(overrides: Readonly<Record<string, unknown>>): Promise<Settings>
}

/** Runs the tests that stand in a pipeline file, each on a gateway of its own, one after the other. */
export async function runTests(file: string, around: Surroundings): Promise<FileResult> {
  return runText(file, await readFile(file, 'utf8'), around)
}

/** The same for a text that stands somewhere else, such as in a README. */
export async function runText(file: string, text: string, around: Surroundings): Promise<FileResult> {
  const { tests, problems } = readTests(file, text)
  const results: TestResult[] = []
  if (problems.some(({ severity }) => severity === 'error')) return { file, problems, results }
  for (const test of tests) {
    const { name, at } = test
    results.push({ name, at, differences: await runTest(test, file, text, around) })
  }
  return { file, problems, results }
}

async function runTest(test: PipelineTest, file: string, text: string, around: Surroundings): Promise<string[]> {
  let trial: Trial
  try {
    const settings = await around.settings(test.settings)
    trial = await Trial.start({ file, text, settings, loader: around.loader, start: test.start })
  } catch (error) {
    return startFailure(error).map(line => `the gateway did not start: ${line}`)
  }
  try {
    for (const [at, step] of test.steps.entries()) {
      const differences = await runStep(trial, step)
      if (differences.length === 0) continue
      const where = test.steps.length > 1 ? `step ${at + 1}: ` : ''
      return [...differences.map(line => where + line), ...trial.log.map(line => `log: ${line}`)]
    }
    return []
  } finally {
    await trial.close()
  }
}

async function runStep(trial: Trial, step: Step): Promise<string[]> {
  const { request, upstream = {}, unreachable = [], advance = 0, concurrent = 1, expect = {} } = step
  trial.clock.advance(advance * 1000)
  const unknown = trial.breakStores(unreachable)
  if (unknown.length > 0) return unknown
  if (!request) return []
  trial.upstream.begin(upstream)
  const late = AbortSignal.timeout(PATIENCE)
  setMaxListeners(concurrent + 10, late)
  const replies = Array.from({ length: concurrent }, () => send(trial.port, request, trial.clock, late))
  let received: Received[]
  try {
    received = await trial.clock.during(Promise.all(replies))
    await trial.settled()
  } catch (error) {
    if (late.aborted) return [`no whole reply came within ${PATIENCE / 1000} s`]
    return [`the line broke: ${error instanceof Error ? error.message : String(error)}`]
  }
  const differences = received.flatMap((reply, copy) =>
    matchReply(reply, expect).map(line => (concurrent > 1 ? `copy ${copy + 1}: ${line}` : line)),
  )
  return [...differences, ...matchCalls(trial.upstream.sent, expect)]
}

function matchReply(reply: Received, expect: Expectation): string[] {
  const { headers, raw } = reply
  const wanted: Record<string, string | null> = {}
  if (expect.layer !== undefined) wanted['x-service-layer'] = expect.layer
  if (expect.deflected !== undefined) wanted['x-service-deflected'] = String(expect.deflected)
  if (expect.provider !== undefined) wanted['x-service-provider'] = expect.provider
  const different = [
    ...(reply.broken ? ['the line broke before the reply was over'] : []),
    ...(expect.status === undefined ? [] : matchSame('status', reply.status, expect.status)),
    ...matchHeaders(headers, { ...wanted, ...expect.headers }),
    ...(expect.text === undefined ? [] : matchText('text', answerText(reply), expect.text)),
    ...(expect.body === undefined ? [] : matchBody(raw, expect.body)),
  ]
  // A status alone rarely tells why, and the body of a failure does.
  const why = different.length > 0 && reply.status >= 400 ? [`the body was ${raw.slice(0, 300)}`] : []
  return [...different, ...why]
}

function matchHeaders(
  actual: Readonly<Record<string, unknown>>,
  wanted: Readonly<Record<string, string | null>>,
): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    const found = actual[name.toLowerCase()]
    return matchText(name, found === undefined ? undefined : String(found), value)
  })
}

const matchBody = (raw: string, expected: unknown): string[] =>
  typeof expected === 'string' ? matchText('body', raw, expected) : matchSubset('body', parsed(raw), expected)

function matchCalls(sent: readonly Sent[], { calls, sent: wanted }: Expectation): string[] {
  const of = (provider: string): number => sent.filter(call => call.provider === provider).length
  const differences =
    calls === undefined
      ? []
      : typeof calls === 'number'
        ? matchSame('calls', sent.length, calls)
        : Object.entries(calls).flatMap(([provider, count]) => matchSame(`calls of ${provider}`, of(provider), count))
  if (!wanted) return differences
  const last = sent.at(-1)
  if (!last) return [...differences, 'sent: expected an upstream call, there was none']
  return [
    ...differences,
    ...(wanted.path === undefined ? [] : matchText('sent.path', last.path, wanted.path)),
    ...matchHeaders(last.headers, wanted.headers ?? {}).map(line => `sent.${line}`),
    ...(wanted.body === undefined ? [] : matchSubset('sent.body', last.body, wanted.body)),
  ]
}
