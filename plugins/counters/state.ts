import type { LayerHost } from 'deflector'
import type { BudgetState } from './budget.ts'
import { LocalCounters } from './local-counters.ts'
import { SharedCounters } from './shared-counters.ts'
import { Thresholds } from './thresholds.ts'
import { TypicalAnswers } from './typical-answers.ts'

export interface CountersOptions {
  /** Where counters are kept over a restart. Without it they are in memory. */
  readonly folder?: string | undefined
  /** Name of the store that counts for several gateways. */
  readonly sharedStore?: string | undefined
}

/** The counters of a gateway. All layers that name the same folder and store have the same ones, also after a reload. */
export function openCounters(
  host: LayerHost,
  { folder, sharedStore }: CountersOptions,
): BudgetState & { readonly typical: TypicalAnswers } {
  const { keep, log, clock, onStart, onReady } = host
  const local = keep(
    `counters:${folder ?? ''}`,
    () => new LocalCounters({ log, clock }, folder),
    kept => kept.close(),
  )
  onStart(() => local.open())
  const store = sharedStore === undefined ? undefined : host.store(sharedStore).counters
  if (sharedStore !== undefined && !store)
    log.warn('the store of shared counters does not count; each gateway counts for itself', { store: sharedStore })
  const id = `${folder ?? ''}:${sharedStore ?? ''}`
  const counters = keep(
    `shared-counters:${id}`,
    () => new SharedCounters(local, { log, clock }),
    kept => kept.close(),
  )
  // A generation that fails to start changes nothing.
  onReady(() => counters.use(store))
  return {
    counters,
    thresholds: keep(`thresholds:${id}`, () => new Thresholds()),
    reserved: keep(`reserved:${id}`, () => new Map<string, number>()),
    typical: keep('typical-answers', () => new TypicalAnswers()),
  }
}
