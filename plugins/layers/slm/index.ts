import { defineLayer } from 'deflector'
import { fault } from 'deflector/facets/fault'
import { health } from 'deflector/facets/health'
import { stepWords } from 'deflector/facets/step-words'
import { traceName } from 'deflector/facets/trace-name'
import { modelsOf } from './models.ts'
import { slmOptions } from './options.ts'
import type { SmallModelRouter } from './router.ts'
import { readStep } from './step-words.ts'

/** L2: answers simple requests with a small model of this machine. */
export default defineLayer({
  name: 'slm',
  label: 'l2',
  deflects: true,
  spans: { answer: 'layer2_slm' },
  asks: { model: 'writer' },
  summary: 'answers simple requests with a small local model (L2)',
  options: slmOptions,
  apply(host, options) {
    host.offer(traceName, 'L2_SLM')
    host.offer(stepWords, readStep)
    if (!options.enabled) return host.offer(health, () => 'disabled')
    const models = modelsOf(host, options)
    let router: SmallModelRouter | undefined
    host.offer(health, () => router?.health() ?? 'active')
    // What it lacks ends its start.
    host.offer(fault, () => undefined)
    host.onStart(async () => {
      const { openRouter } = await import('./open-router.ts')
      router = await openRouter(host, options, models)
    })
    host.onDispose(() => router?.dispose())
    host.hooks.answer.tapPromise(host.name, async exchange => router?.answer(exchange))
  },
})
