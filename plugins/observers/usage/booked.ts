import type { Answer, Attempt, AttemptOutcome, Exchange } from 'deflector'
import { begunWork, endedWork } from 'deflector/formats/background-work'
import { type CallUsage, isTold, NOTHING_USED } from 'deflector/formats/call-usage'
import { clientIdentity } from 'deflector/formats/client-identity'
import { tagsOf } from 'deflector/formats/request-tags'
import { circumstancesOf, costOf, type Price, type Pricing } from 'deflector/pricing'
import type { UsageAttempt, UsageEvent } from './event.ts'
import { measured, partsOf, sumOf, wouldUse } from './tokens.ts'

/** One vendor call of a request, which reached its vendor. */
export interface Ended {
  readonly attempt: Attempt
  readonly outcome: AttemptOutcome
}

/** What the books know beside the requests. */
export interface Accounts {
  readonly pricing: Pricing
  /** Vendor of each provider, by instance name. */
  readonly vendors: Readonly<Record<string, string>>
  /** Instance names, the primary first. */
  readonly chain: readonly string[]
}

/** A client may send a name of any length. */
const LONGEST_NAME = 200

/** The line of a request that is over. `at`: when it ended, in milliseconds since 1970. */
export function eventOf(exchange: Exchange, ended: readonly Ended[], at: number, accounts: Accounts): UsageEvent {
  const { id, surface, headers, principal, layer, deflected, failure, answer } = exchange
  const lines = ended.map(each => lineOf(each, exchange, accounts))
  const attempts = lines.map(({ line }) => line)
  const { line: asked, tier } =
    lines.findLast(({ line }) => line.provider === answer?.facts.provider) ?? lines.at(-1) ?? {}
  const provider = deflected ? meant(exchange, accounts) : (asked?.provider ?? answer?.facts.provider)
  const model = cut((deflected ? undefined : asked?.model) ?? exchange.route.model ?? exchange.model)
  const saved = deflected && answer ? savedBy(answer, exchange) : undefined
  const price = priceOf(provider, model, exchange, accounts, saved ? saved.usage.tier : tier)
  const { tool, client } = clientIdentity(exchange)
  const spent = sumOf(attempts.map(({ usage }) => usage))
  return {
    timestamp: new Date(at).toISOString(),
    request_id: id,
    provider: provider ?? null,
    model: model ?? null,
    operation: exchange.opened?.operation ?? 'chat',
    surface,
    client,
    tool,
    principal: cut(principal) ?? null,
    tags: tagsOf(headers),
    final_layer: layer,
    deflected,
    status: failure?.status ?? 200,
    ...spent,
    estimated: spent.estimated || saved?.estimated === true,
    estimated_cost_usd: costs(attempts),
    saved_cost_usd: saved ? (costOf(saved.usage, price) ?? null) : 0,
    saved_tokens: saved ? partsOf(saved).total_tokens : 0,
    price: price ? snapshotOf(price) : null,
    attempts,
  }
}

/** A vendor call that ended after its request was booked: one that others had joined. */
export function lateEventOf(exchange: Exchange, ended: Ended, at: number, accounts: Accounts): UsageEvent {
  const event = eventOf(exchange, [ended], at, accounts)
  return { ...event, deflected: false, saved_cost_usd: 0, saved_tokens: 0, late: true }
}

/** Whom a deflected request would have gone to. */
const meant = ({ route }: Exchange, { chain }: Accounts): string | undefined => route.provider ?? chain[0]

const cut = (name: string | undefined): string | undefined => name?.slice(0, LONGEST_NAME)

/** A call as the books have it, and the class of service that its vendor says it used. */
interface Line {
  readonly line: UsageAttempt
  readonly tier: string | undefined
}

function lineOf({ attempt, outcome }: Ended, exchange: Exchange, accounts: Accounts): Line {
  const ended = endedWork.of(exchange)
  const model = cut(ended?.work.model ?? attempt.model ?? exchange.model)
  const found = usedBy({ attempt, outcome }, exchange)
  const { usage } = found ?? NOTHING_USED
  const price = priceOf(attempt.provider, model, exchange, accounts, usage.tier)
  const isFree = found !== undefined && usage.input + usage.output === 0
  const line: UsageAttempt = {
    provider: attempt.provider,
    model: model ?? null,
    key: cut(attempt.keyLabel) ?? null,
    usage: partsOf(found ?? NOTHING_USED),
    cost: isFree ? 0 : ((found && costOf(usage, price, circumstancesOf(usage, exchange.outgoing.bytes))) ?? null),
    status: outcome.status ?? null,
  }
  return { line, tier: usage.tier }
}

function usedBy({ attempt, outcome }: Ended, exchange: Exchange): CallUsage | undefined {
  const ended = endedWork.of(exchange)
  if (ended && outcome.outcome === 'answered') return { usage: ended.usage, estimated: false }
  // What only looks something up makes no tokens.
  if (exchange.opened?.dialect.bodiless) return NOTHING_USED
  const found = measured(attempt, outcome, exchange.deflected ? undefined : exchange.answer)
  // What goes on at the vendor is booked with the look that is told what it took.
  return begunWork.of(exchange) !== undefined && !isTold(attempt, outcome) ? NOTHING_USED : found
}

function priceOf(
  provider: string | undefined,
  model: string | undefined,
  { opened }: Exchange,
  { pricing, vendors }: Accounts,
  tier: string | undefined,
): Price | undefined {
  if (provider === undefined) return undefined
  return pricing.priceOf({ instance: provider, vendor: vendors[provider], model, body: opened?.body, tier })
}

const savedBy = (answer: Answer, { opened }: Exchange) => wouldUse(answer, opened?.bytes.length ?? 0)

/** `null` where one of them is unknown. */
function costs(attempts: readonly UsageAttempt[]): number | null {
  let sum = 0
  for (const { cost } of attempts) {
    if (cost === null) return null
    sum += cost
  }
  return sum
}

function snapshotOf({ input, output, cacheRead, cacheWrite, reasoning, source, asOf }: Price): UsageEvent['price'] {
  return {
    input,
    output,
    ...(cacheRead !== undefined && { cache_read: cacheRead }),
    ...(cacheWrite !== undefined && { cache_write: cacheWrite }),
    ...(reasoning !== undefined && { reasoning }),
    source,
    ...(asOf !== undefined && { as_of: asOf }),
  }
}
