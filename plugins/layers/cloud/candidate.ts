import type { ProviderHandle } from 'deflector'
import type { KeyOwner } from './key-pool.ts'

/** A provider in the order to be asked, and the model to ask it for. */
export interface Candidate extends KeyOwner {
  readonly provider: ProviderHandle
  readonly model: string | undefined
  /** The request chose it: what it cannot say is refused, and not asked of another vendor. */
  readonly chosen?: boolean
}
