import { z } from 'zod'
import { count, usd } from './figures.ts'
import { shortened, wrapped } from './terminal-text.ts'
import { table } from './text-table.ts'

const text = z.string().nullable().default(null)
const number = z.number().nullable().default(null)
const step = z.object({
  hook: z.string(),
  layer: z.string(),
  ms: z.number(),
  outcome: z.string(),
  /** Which attempt at a vendor it belongs to, where there were several. */
  attempt: z.number().optional(),
  /** A sentence of which the layer is the subject. Plain outcomes have none. */
  words: z.string().optional(),
  neighbour: z.object({ similarity: z.number(), probability: z.number().optional(), id: z.string() }).optional(),
})
const attempt = z.object({
  provider: z.string(),
  model: text,
  key: text,
  outcome: z.string(),
  status: number,
  reason: text,
  /** What was wrong, in the gateway's own words. */
  fault: z.string().optional(),
  ms: z.number(),
  first_token_ms: number,
  input_tokens: number,
  output_tokens: number,
  cost_usd: number,
  omitted: z.array(z.string()).default([]),
})
/** One request as `GET /api/admin/requests/{id}` tells it. */
export const story = z.looseObject({
  source: z.string(),
  request_id: z.string(),
  timestamp: z.string(),
  method: text,
  path: text,
  surface: z.string(),
  client: z.string(),
  tool: z.string(),
  principal: text,
  endpoint_family: z.string(),
  model: text,
  provider: text,
  final_layer: z.string(),
  resolved_by: text,
  deflected: z.boolean(),
  error: text,
  latency_ms: z.number(),
  cost_usd: number,
  saved_cost_usd: number,
  saved_tokens: number,
  trail: z.array(step),
  attempts: z.array(attempt),
})
export type Story = z.output<typeof story>

/** The way of one request, on lines of at most so many columns. */
export function storyLines(found: Story, columns: number): string[] {
  const { request_id, timestamp, method, path, surface, client, tool, principal, endpoint_family, model } = found
  const cut = (line: string): string => shortened(line, columns)
  return [
    cut(`request ${request_id}, ${timestamp}, ${method ?? ''} ${path ?? ''}`),
    cut(ending(found)),
    cut(
      `client ${client}, tool ${tool}, key ${principal ?? 'none'}, surface ${surface} (${endpoint_family}), model ${model ?? 'none'}`,
    ),
    ...costLines(found).map(cut),
    '',
    ...table([['step', 'layer', 'took', 'outcome'], ...found.trail.map(stepCells)], [0, 1, 3]),
    ...whyLines(found.trail, columns),
    ...attemptLines(found.attempts),
    ...faultLines(found.attempts, columns),
    ...omittedLines(found.attempts).map(cut),
  ]
}

function ending({ final_layer, resolved_by, provider, deflected, error, latency_ms }: Story): string {
  const who = `${resolved_by ?? 'no layer'} (${final_layer})`
  const took = `after ${milliseconds(latency_ms)}`
  if (error !== null) return `failed at ${who} ${took}: ${error}`
  const from = deflected ? ', without a vendor call' : provider === null ? '' : `, from ${provider}`
  return `answered by ${who} ${took}${from}`
}

/** What it cost and saved; nothing where nobody has booked it. */
function costLines({ deflected, cost_usd, saved_cost_usd, saved_tokens }: Story): string[] {
  if (deflected && saved_tokens !== null) {
    const money = saved_cost_usd === null ? '' : `${usd(saved_cost_usd)}, `
    return [`saved ${money}${count(saved_tokens)} tokens`]
  }
  return cost_usd === null ? [] : [`cost ${usd(cost_usd)}`]
}

type Step = z.output<typeof step>

const stepCells = (step: Step): string[] => [
  step.attempt === undefined ? step.hook : `${step.hook} ${step.attempt}`,
  step.layer,
  milliseconds(step.ms),
  codeOf(step),
]

/** The outcome without what was compared, which stands below, where it is spelled as our layers spell it. */
function codeOf({ outcome, neighbour }: Step): string {
  const end = neighbour ? outcome.indexOf(` ${neighbour.similarity.toFixed(4)}`) : -1
  return end < 0 ? outcome : outcome.slice(0, end)
}

/** The outcomes in words, below the table: a column would cut them, and the ids of what was compared. */
function whyLines(trail: readonly Step[], columns: number): string[] {
  const lines = trail.flatMap(({ layer, words, neighbour }) => {
    if (words === undefined) return []
    const compared = neighbour ? neighbourLines(neighbour) : []
    const indented = compared.flatMap(line => wrapped(line, columns - INDENT.length)).map(line => INDENT + line)
    return [...wrapped(`${layer} ${words}`, columns), ...indented]
  })
  return lines.length === 0 ? [] : ['', ...lines]
}
const INDENT = '  '

const neighbourLines = ({ similarity, probability, id }: NonNullable<Step['neighbour']>): string[] => [
  `similarity ${similarity.toFixed(4)}${probability === undefined ? '' : `, probability ${probability.toFixed(4)}`}`,
  `stored by request ${id}`,
]

function attemptLines(attempts: Story['attempts']): string[] {
  if (attempts.length === 0) return []
  const head = ['vendor call', 'key', 'model', 'outcome', 'status', 'took', 'first token', 'tokens in', 'out', 'cost']
  const rows = attempts.map(({ provider, model, key, outcome, status, reason, ms, ...one }) => [
    provider,
    key ?? '-',
    model ?? '-',
    reason === null ? outcome : `${outcome} (${reason})`,
    `${status ?? '-'}`,
    milliseconds(ms),
    one.first_token_ms === null ? '-' : milliseconds(one.first_token_ms),
    `${one.input_tokens ?? '-'}`,
    `${one.output_tokens ?? '-'}`,
    one.cost_usd === null ? '-' : usd(one.cost_usd),
  ])
  return ['', ...table([head, ...rows], [0, 1, 2, 3])]
}

/** What was wrong with a provider's answers, once however often it was. */
function faultLines(attempts: Story['attempts'], columns: number): string[] {
  const faults = attempts.flatMap(({ provider, fault }) => (fault === undefined ? [] : [`${provider}: ${fault}`]))
  return faults.length === 0 ? [] : ['', ...[...new Set(faults)].flatMap(line => wrapped(line, columns))]
}

/** What each provider was not told, once however often it was asked. */
function omittedLines(attempts: Story['attempts']): string[] {
  const told = attempts.flatMap(({ provider, omitted }) =>
    omitted.length === 0 ? [] : [`${provider} was not told of: ${omitted.join(', ')}`],
  )
  return told.length === 0 ? [] : ['', ...new Set(told)]
}

const milliseconds = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`
