import { isMap, isSeq } from 'yaml'
import { z } from 'zod'
import { checkValue } from '../../../../core/pipeline/options.ts'
import { PipelineText } from '../../../../core/pipeline/text.ts'
import type { Position, Problem } from '../../../../core/pipeline/types.ts'

/** The `tests:` of a pipeline file. Nothing here is filled in with settings: a test says what it means. */

const text = (): z.ZodString => z.string()

/** What a stub upstream does with one call. Without any of `text`, `body`, `sse`, `status` it answers politely. */
export const Reply = z
  .strictObject({
    text: text()
      .optional()
      .describe('The answer, told in the dialect and the manner (whole or streamed) that was asked for'),
    tool_calls: z
      .array(z.strictObject({ name: text(), arguments: text().describe('JSON text') }))
      .optional()
      .describe('Tools the model wants called'),
    finish: text().optional().describe("The dialect's own word for why the model stopped"),
    status: z
      .int()
      .min(100)
      .max(599)
      .optional()
      .describe('HTTP status; from 400 on an error body of the dialect is sent'),
    headers: z.record(z.string(), z.string()).optional().describe('Further headers of the reply'),
    body: z.unknown().optional().describe('The body as it is: a string raw, anything else as JSON'),
    sse: z.array(z.unknown()).optional().describe('A stream, event by event: a string raw behind "data: ", else JSON'),
    die_after: z
      .int()
      .min(0)
      .optional()
      .describe('The line breaks after so many events of a stream; 0 before the head'),
    delay_ms: z.number().min(0).optional().describe("Milliseconds of the test's clock before the head"),
  })
  .describe('What the stub upstream replies')

const Replies = z.union([Reply, z.array(Reply).min(1)]).describe('One reply, or one a call; the last repeats')

const Expectation = z
  .strictObject({
    status: z.int().optional().describe('HTTP status'),
    layer: text().nullable().optional().describe('Header X-Service-Layer'),
    deflected: z.boolean().optional().describe('Header X-Service-Deflected'),
    provider: text().nullable().optional().describe('Header x-service-provider; null when there must be none'),
    headers: z.record(z.string(), z.string().nullable()).optional().describe('Exact, /regex/, or null when absent'),
    body: z
      .unknown()
      .optional()
      .describe('A deep subset; strings may be /regex/. A string is held against the raw body'),
    text: text().optional().describe('The answer text, joined over a stream; exact or /regex/'),
    calls: z
      .union([z.int().min(0), z.record(z.string(), z.int().min(0))])
      .optional()
      .describe('Upstream calls made in this step, in all or by provider'),
    sent: z
      .strictObject({
        path: text().optional(),
        headers: z.record(z.string(), z.string().nullable()).optional(),
        body: z.unknown().optional(),
      })
      .optional()
      .describe('What the last upstream call of this step looked like'),
  })
  .describe('What must come back')

const Request = z
  .strictObject({
    method: text().optional().describe('Default: POST with a body, else GET'),
    path: text().startsWith('/').describe('Path and query'),
    headers: z.record(z.string(), z.string()).optional().describe('Request headers'),
    body: z.unknown().optional().describe('JSON; a string is sent as it is'),
  })
  .describe('What the client sends')

const step = {
  advance: z.number().min(0).optional().describe('Seconds the clock moves on before this step'),
  request: Request.optional(),
  upstream: z.record(z.string(), Replies).optional().describe('Replies of the stub upstreams, by provider instance'),
  unreachable: z
    .array(text())
    .optional()
    .describe('Store instances that fail in this step, as if their server were away'),
  concurrent: z
    .int()
    .min(1)
    .max(100)
    .optional()
    .describe('So many copies of the request at once; each must be as expected'),
  expect: Expectation.optional(),
}

export const Test = z
  .strictObject({
    name: text().min(1).describe('A sentence about behaviour'),
    settings: z.record(z.string(), z.unknown()).optional().describe('Settings by dotted key, on top of the defaults'),
    clock: z.iso.datetime({ offset: true }).optional().describe('When the test begins; default 2026-01-01T00:00:00Z'),
    steps: z.array(z.strictObject(step)).min(1).optional().describe('One request after the other, on one gateway'),
    ...step,
  })
  .superRefine((test, context) => {
    if ((test.steps === undefined) === (test.request === undefined)) {
      context.addIssue({ code: 'custom', message: 'a test has either "steps" or one "request"', input: test })
    }
  })
  .describe('One test of this pipeline')

export type Reply = z.output<typeof Reply>
export type Expectation = z.output<typeof Expectation>
export type Request = z.output<typeof Request>
type Written = z.output<typeof Test>
export type Step = Pick<Written, keyof typeof step>

export interface PipelineTest {
  readonly name: string
  readonly settings: Readonly<Record<string, unknown>>
  /** Milliseconds since 1970. */
  readonly start: number
  readonly steps: readonly Step[]
  readonly at: Position
}

export interface ReadTests {
  readonly tests: readonly PipelineTest[]
  readonly problems: readonly Problem[]
}

/** The tests that stand in a pipeline file; what is wrong with them is told with its place. */
export function readTests(file: string, yaml: string): ReadTests {
  const source = new PipelineText(file, yaml, {})
  const section = isMap(source.root) ? source.entries(source.root).find(({ key }) => key === 'tests')?.value : undefined
  if (source.failed || section === undefined) return { tests: [], problems: source.problems }
  if (!isSeq(section)) {
    source.report('wrong_shape', section, '"tests" must be a list')
    return { tests: [], problems: source.problems }
  }
  const names = new Set<string>()
  const tests: PipelineTest[] = []
  for (const item of section.items) {
    const node = source.follow(item) ?? section
    const test = checkValue(source, {
      owner: 'test',
      word: 'key',
      schema: Test,
      value: source.plain(node),
      node,
      fallback: node,
    })
    if (test === undefined) continue
    if (names.has(test.name)) source.report('duplicate_test', node, `there are two tests "${test.name}"`)
    names.add(test.name)
    const { name, settings = {}, clock = '2026-01-01T00:00:00Z', steps, ...only } = test
    tests.push({ name, settings, start: Date.parse(clock), steps: steps ?? [only], at: source.at(node) })
  }
  return { tests, problems: source.problems }
}
