import { Cancellation, type Exchange } from 'deflector'
import type { Context } from './context.ts'

/**
 * The text's vector; rejects after `embed_wait_ms`, whatever the model does, because a client waits for an answer and not for a
 * vector. The model gets a cancellation, so that it can drop the work.
 */
export async function embedWithTimeout(
  { embedder, host, options }: Context,
  exchange: Exchange,
  text: string,
): Promise<Float32Array> {
  const { cancellation } = exchange
  const ms = options.embed_wait_ms
  cancellation.throwIfCancelled()
  const work = new Cancellation()
  const forget = cancellation.onCancel(reason => work.cancel(reason))
  const late = (): void => work.cancel(new DOMException(`no vector within ${ms} ms`, 'TimeoutError'))
  // The event loop gets one more turn: a vector that arrived while this process was busy is not late.
  const stop = host.clock.after(ms, () => setImmediate(late))
  try {
    return await work.guard(embedder.embedFor(exchange, text, work))
  } finally {
    stop()
    forget()
  }
}
