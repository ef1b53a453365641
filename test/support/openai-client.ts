import OpenAI from 'openai'
import type { Test } from 'uvu'
import { startGateway, type TestGateway } from './gateway.ts'
import { startUpstream, type Upstream } from './upstream.ts'

export interface Started {
  readonly gateway: TestGateway
  readonly upstream: Upstream
  readonly client: OpenAI
}

/** The official SDK, which asks once, before a gateway with these aliases of models; a test gets all three. */
export function withOpenai(test: Test, aliases: Readonly<Record<string, string>>): () => Started {
  const context: { started?: Started } = {}
  test.before(async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({
      upstream,
      provider: 'openai',
      settings: { SERVICE__MODEL_ALIASES: JSON.stringify(aliases) },
    })
    const client = new OpenAI({ apiKey: 'k', baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    context.started = { gateway, upstream, client }
  })
  test.after(() => context.started?.gateway.close())
  test.before.each(() => context.started?.upstream.clear())
  return () => {
    if (!context.started) throw new Error('the gateway is not started')
    return context.started
  }
}
