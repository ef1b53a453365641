import {
  type Frame,
  isGatewayError,
  isProviderError,
  type LiveAnswer,
  liveAnswer,
  ProviderError,
  type StreamRecord,
  withFacts,
} from 'deflector'

/** Frames of a stream that may be held back, in characters; a larger answer counts as broken. */
const HELD_LIMIT = 64 << 20

/**
 * A live answer that has reached its end: what breaks before is a failure of the attempt, and nobody has seen a byte of
 * it. Throws `ProviderError`.
 */
export async function held(answer: LiveAnswer): Promise<LiveAnswer> {
  const frames: Frame[] = []
  let size = 0
  try {
    for await (const frame of answer.frames()) {
      size += frame.wire.length
      if (size > HELD_LIMIT) throw new ProviderError('protocol', 'the stream is too large to be held back')
      frames.push(frame)
    }
  } catch (error) {
    throw brokenBy(error)
  }
  if (answer.joinable) return answer
  // A large answer lets go of its first frames while it is read.
  async function* again(): AsyncGenerator<Frame> {
    yield* frames
  }
  const record = await recordOf(answer)
  return withFacts(liveAnswer({ format: answer.format, source: again(), record }), answer.facts)
}

/** What the first reading gathered: the second says nothing else. */
async function recordOf({ whole }: LiveAnswer): Promise<StreamRecord | undefined> {
  const answer = await whole.catch(() => undefined)
  if (answer && !answer.stream) return undefined
  return { add() {}, drop() {}, text: () => answer?.stream?.text }
}

/** What broke a stream: its readers get the client's error, whose cause is what the provider threw. */
export function brokenBy(error: unknown): ProviderError {
  if (isProviderError(error)) return error
  if (isGatewayError(error) && isProviderError(error.cause)) return error.cause
  return new ProviderError('protocol', 'the stream broke off', { cause: error })
}
