import type { EmbedderHandle, Judge, LayerHost } from 'deflector'
import type { Dependencies } from './dependencies.ts'
import type { Engine } from './engine/engine.ts'
import type { Entries } from './entries.ts'
import type { SemanticOptions } from './options.ts'
import type { RecentRequests } from './recent-requests.ts'

export interface SemanticModels {
  readonly embedder: EmbedderHandle
  readonly judge: Judge
}

/** What the parts of one semantic cache share. */
export interface Context extends SemanticModels {
  readonly host: Pick<LayerHost, 'log' | 'clock' | 'name' | 'keep' | 'offers'>
  readonly options: SemanticOptions
  /** These three outlive a reload. */
  readonly entries: Entries
  readonly recent: RecentRequests
  readonly engine: Engine
  readonly dependencies: Dependencies
  /** Of the models, once they are started: keys and vectors of different models cannot be compared. */
  fingerprint(): string
}
