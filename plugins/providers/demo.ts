import {
  type Completion,
  defineProvider,
  type Frame,
  isProviderError,
  liveAnswer,
  type ProviderCall,
  ProviderError,
  replay,
  wholeAnswer,
} from 'deflector'
import { z } from 'zod'
import { respond } from './demo/respond.ts'
import { estimatedUsage } from './demo/usage.ts'

/** Answers without a network, a key or a model, so that a newcomer sees the gateway work before signing up anywhere. */
export default defineProvider({
  name: 'demo',
  summary: 'Answers offline from a small table, for trying the gateway without a vendor.',
  options: z.strictObject({
    model: z.string().default('demo-1').describe('Model name put on the answers.'),
    latency_ms: z.int().min(0).default(40).describe('Milliseconds before an answer, as a vendor would take some too.'),
  }),
  apply({ clock }, { model, latency_ms: latency }) {
    return {
      model,
      async complete(call) {
        await pause(call)
        const { prompt } = call
        const blocks = respond(prompt.chat)
        const completion: Completion = {
          id: `demo-${clock.id()}`,
          model: call.model ?? prompt.model ?? model,
          created: Math.floor(clock.now() / 1000),
          blocks,
          stop: { reason: blocks.some(({ type }) => type === 'tool_call') ? 'tool_use' : 'stop' },
          usage: estimatedUsage(prompt.chat, blocks),
        }
        if (!call.stream) return wholeAnswer({ completion })
        return liveAnswer({ format: 'canonical', source: frames(completion, call.signal) })
      },
    }

    async function pause({ signal }: ProviderCall): Promise<void> {
      try {
        signal.throwIfAborted()
        if (latency > 0) await clock.sleep(latency, signal)
      } catch (error) {
        throw isProviderError(error) ? error : new ProviderError('timeout', 'the call was given up', { cause: error })
      }
    }
  },
})

/** The events of a stream, one a frame. They have no text of their own: every surface writes its dialect. */
async function* frames(completion: Completion, signal: AbortSignal): AsyncGenerator<Frame> {
  for (const event of replay(completion)) {
    if (signal.aborted) throw new ProviderError('timeout', 'the call was given up')
    yield { events: [event], wire: '' }
  }
}
