import { Cancellation, type Clock, type EmbedderHandle, type Exchange } from 'deflector'

interface Waiting {
  readonly ms: number
  readonly clock: Clock
}

/**
 * The text's vector; rejects after `ms`, whatever the model does, because a client waits for an answer and not for a
 * vector. The model gets a cancellation, so that it can drop the work.
 */
export async function embedWithTimeout(
  model: EmbedderHandle,
  exchange: Exchange,
  text: string,
  { ms, clock }: Waiting,
): Promise<Float32Array> {
  const { cancellation } = exchange
  cancellation.throwIfCancelled()
  const work = new Cancellation()
  const forget = cancellation.onCancel(reason => work.cancel(reason))
  const late = (): void => work.cancel(new DOMException(`no vector within ${ms} ms`, 'TimeoutError'))
  // The event loop gets one more turn: a vector that arrived while this process was busy is not late.
  const stop = clock.after(ms, () => setImmediate(late))
  try {
    return await work.guard(model.embedFor(exchange, text, work))
  } finally {
    stop()
    forget()
  }
}
