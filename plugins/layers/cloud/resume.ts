import {
  type Answer,
  type AnswerEvent,
  Cancellation,
  CHAT,
  type Frame,
  GatewayError,
  type Log,
  liveAnswer,
  type ProviderReason,
  replay,
  type StreamEncoder,
  type Usage,
  unforeseen,
} from 'deflector'
import { callUsage, tokensOf } from 'deflector/formats/call-usage'
import type { ChainCall } from './attempts.ts'
import type { Candidate } from './candidate.ts'
import type { Chain } from './chain.ts'
import { brokenBy } from './held.ts'
import { withBeginning } from './prefill.ts'
import { ResumableAnswer } from './resumable-answer.ts'
import { Divergence, mayComeAgain, SameBeginning, sum } from './same-beginning.ts'

/** What asking again does not mend: refusals of the request itself, and what its client cannot be told. */
const REFUSALS = new Set<ProviderReason>(['bad_request', 'context', 'unsayable', 'untellable'])

/** How often one stream is gone on with. */
const RESUMES = 2

/** A stream that is gone on with: what the client has, and who began it. */
interface Broken {
  readonly candidates: readonly Candidate[]
  readonly call: ChainCall
  readonly cancellation: Cancellation
  readonly error: unknown
  readonly sent: readonly Frame[]
  /** What the attempt at it has cost. */
  readonly spent: Usage | undefined
  /** Writes the frames to come in the format of those before; absent where they are written for the client anyway. */
  readonly encoder: StreamEncoder | undefined
  /** Instance name of the provider that broke off. */
  readonly provider: string | undefined
}

/**
 * Asks the chain again when a stream breaks off after its first byte. Another answer takes the stream's place only where
 * it begins with exactly what was sent; else the client gets the failure.
 */
export class Resume {
  constructor(
    private readonly chain: Pick<Chain, 'ask'>,
    private readonly log: Log,
    /** Has a vendor that can go on with the beginning of an answer do so, before others are asked for all of it. */
    private readonly prefills: boolean,
  ) {}

  async ask(candidates: readonly Candidate[], call: ChainCall, cancellation: Cancellation): Promise<Answer> {
    const first = await this.chain.ask(candidates, call, cancellation)
    if (first.kind !== 'live' || call.prompt.operation !== CHAT) return first
    const { format, facts } = first
    return new ResumableAnswer(first, {
      may: error => !cancellation.cancelled && !REFUSALS.has(brokenBy(error).reason) && isPlain(call),
      after: (sent, error) => {
        const { prompt } = call.exchange
        const passed = prompt.dialect.name === format
        const encoder = passed ? prompt.format.resumedEncoder?.(sent, prompt) : undefined
        // Under its first id the client may refer to the answer later, and only the vendor that broke off knows that id.
        const isState = passed && prompt.state?.creates === true
        const hasActed = prompt.state?.starts === true
        if (!mayComeAgain(sent.flatMap(({ events }) => events)) || isState || hasActed || (passed && !encoder))
          throw error
        const { provider } = facts
        const spent = spentBy(call, first, error)
        const broken = { candidates, call, cancellation, error, sent, spent, encoder, provider }
        const record = passed ? prompt.format.streamForm?.record() : undefined
        for (const { wire, joined } of sent) record?.add(joined ?? wire)
        return liveAnswer({ format, source: this.#rest(broken), record })
      },
    })
  }

  /** What was sent, then the frames that the client has yet to get. */
  async *#rest(broken: Broken): AsyncGenerator<Frame> {
    const { error, encoder } = broken
    const sent: AnswerEvent[] = broken.sent.flatMap(({ events }) => events)
    yield { events: [...sent], wire: '' }
    let { provider, candidates, spent } = broken
    let why = error
    for (let left = RESUMES; left > 0; left--) {
      candidates = after(candidates, provider, why)
      if (candidates.length === 0 || !mayComeAgain(sent)) break
      const own = Cancellation.following(broken.cancellation)
      let same = new SameBeginning(sent, spent)
      let { call } = broken
      let answer: Answer | undefined
      let ended = false
      try {
        const prompt = this.prefills ? withBeginning(call.prompt, sent) : undefined
        answer = prompt && (await this.#continued(candidates, { ...call, prompt }, own))
        if (prompt && answer) {
          call = { ...call, prompt }
          same = new SameBeginning([], spent)
        }
        answer ??= await this.#again(candidates, call, own)
        provider = answer.facts.provider
        this.log.warn('a stream that broke off is asked for again', {
          provider: broken.provider,
          now: provider,
          request: call.exchange.id,
        })
        for await (const event of eventsOf(answer))
          for (const fresh of same.push(event)) {
            sent.push(fresh)
            ended = fresh.type === 'end'
            yield { events: [fresh], wire: encoder?.push(fresh) ?? '' }
          }
        // Read to its end, or the attempt would never be over.
        if (ended) return
      } catch (thrown) {
        if (ended) return
        if (thrown instanceof Divergence || thrown instanceof Unanswered || broken.cancellation.cancelled) throw error
        if (REFUSALS.has(brokenBy(thrown).reason)) throw error
        why = thrown
        spent = sum(spent, spentBy(call, answer, thrown))
      } finally {
        if (!ended) own.cancel(new GatewayError('unanswered', 'the answer does not go on with what was sent'))
      }
    }
    throw error
  }

  /** The rest alone, from the first vendor that goes on with the last turn of this call's prompt. */
  async #continued(candidates: readonly Candidate[], call: ChainCall, own: Cancellation): Promise<Answer | undefined> {
    for (const candidate of candidates) {
      if (candidate.provider.continues?.(call.prompt, candidate.model) !== true) continue
      try {
        return await this.chain.ask([candidate], { ...call, resumes: true }, own)
      } catch {
        own.throwIfCancelled()
      }
    }
    return undefined
  }

  async #again(candidates: readonly Candidate[], call: ChainCall, own: Cancellation): Promise<Answer> {
    try {
      return await this.chain.ask(candidates, { ...call, resumes: true }, own)
    } catch (cause) {
      throw new Unanswered('nobody answered again', { cause })
    }
  }
}

/** No provider of the chain gave an answer at all. */
class Unanswered extends Error {}

/**
 * The providers behind the one that broke off in the circle of the chain, itself last. One that stalled is left out, and
 * so is a plugin that failed: it would fail again.
 */
function after(candidates: readonly Candidate[], name: string | undefined, error: unknown): readonly Candidate[] {
  const at = candidates.findIndex(candidate => candidate.name === name)
  const itself = brokenBy(error).reason === 'timeout' || unforeseen(error) ? at : at + 1
  return [...candidates.slice(at + 1), ...candidates.slice(0, itself)]
}

/** Answers in several choices, in sound or with probabilities cannot be compared by their words. */
function isPlain({ prompt }: ChainCall): boolean {
  try {
    const { choices = 1, audio, logprobs } = prompt.chat.wanted ?? {}
    return choices === 1 && audio === undefined && logprobs === undefined
  } catch {
    return false
  }
}

async function* eventsOf(answer: Answer): AsyncGenerator<AnswerEvent> {
  if (answer.kind === 'whole') yield* replay(answer.completion)
  else if (answer.kind === 'live') for await (const { events } of answer.frames()) yield* events
}

/** What an answer that broke off has cost, as the books have it. */
function spentBy({ prompt }: ChainCall, answer: Answer | undefined, error: unknown): Usage | undefined {
  if (answer?.kind !== 'live') return undefined
  const { usage, received } = answer.progress
  const asked = { operation: CHAT, estimate: { input: tokensOf(prompt.bytes.length), output: undefined, answers: 1 } }
  const ended = { outcome: 'failed', error: brokenBy(error), status: undefined, usage, received } as const
  const used = callUsage(asked, ended, () => 0)
  return used && { ...used.usage, ...(used.estimated && { guessed: true }) }
}
