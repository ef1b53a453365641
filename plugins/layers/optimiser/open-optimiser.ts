import type { Host, Prompt } from 'deflector'
import type { ContextPreview } from 'deflector/facets/context-preview'
import { NetEffect } from './net-effect.ts'
import { Optimiser } from './optimiser.ts'
import type { OptimiserOptions } from './options.ts'
import { Savings } from './savings.ts'
import { Sessions } from './sessions.ts'

export interface Opened {
  readonly optimiser: Optimiser
  readonly effect: NetEffect
  readonly savings: Savings
}

/** What an enabled layer works with. Sessions outlive a reload, so that they go on as they began. */
export function openOptimiser({ name, clock, keep }: Host, options: OptimiserOptions): Opened {
  const sessions = keep(`${name}:sessions`, () => new Sessions(clock))
  const effect = keep(`${name}:effect`, () => new NetEffect(clock))
  const savings = keep(`${name}:savings`, () => new Savings())
  return { optimiser: new Optimiser(options, sessions, effect), effect, savings }
}

/** A look at one prompt, with sessions of its own: it changes none. */
export function preview({ name, clock }: Host, options: OptimiserOptions, prompt: Prompt): Promise<ContextPreview> {
  const apart = new Optimiser(options, new Sessions(clock), new NetEffect(clock))
  return apart.optimise({ prompt, session: undefined, principal: undefined, namespace: name })
}
