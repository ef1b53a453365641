import { Cancellation, type Clock, type Embedder } from 'deflector'

interface Waiting {
  readonly ms: number
  readonly clock: Clock
  readonly cancellation: Cancellation
}

/**
 * The text's vector; rejects after `ms`, whatever the model does, because a client waits for an answer and not for a
 * vector. The model hears of it, and drops the work.
 */
export async function embedInTime(
  model: Embedder,
  text: string,
  { ms, clock, cancellation }: Waiting,
): Promise<Float32Array | undefined> {
  cancellation.throwIfCancelled()
  const wanted = new Cancellation()
  const forget = cancellation.onCancel(reason => wanted.cancel(reason))
  const late = (): void => wanted.cancel(new DOMException(`no vector within ${ms} ms`, 'TimeoutError'))
  // A vector that came while this process was too busy to read it is not late: the event loop gets one more turn.
  const stop = clock.after(ms, () => setImmediate(late))
  try {
    const [vector] = await wanted.guard(model.embed([text], wanted))
    return vector
  } finally {
    stop()
    forget()
  }
}
