import { facet } from 'deflector'

/** A setting as the operator may see it: its secrets are masked. */
export interface ControlledSetting {
  /** Dotted: `server.port`. */
  readonly key: string
  readonly value: unknown
  readonly source: 'default' | 'file' | 'env' | 'flag'
  /** `default`, `service.toml:4`, a variable or a flag. */
  readonly origin: string
  readonly doc: string
  readonly secret: boolean
  /** False where a variable or a flag stands over the file. */
  readonly writable: boolean
  /** JSON Schema of its values. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** What became of a change. */
export interface Changed {
  /** One line for a person. */
  readonly message: string
  /** The file says it, and the gateway follows only when it starts again. */
  readonly restartRequired: boolean
}

/** A change of the providers that the settings describe, by instance name. */
export type ProviderChange =
  | { readonly kind: 'add'; readonly entry: Readonly<Record<string, unknown>>; readonly position?: number | undefined }
  | { readonly kind: 'edit'; readonly name: string; readonly entry: Readonly<Record<string, unknown>> }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'move'; readonly name: string; readonly position: number }

/** The process that runs the gateway, as far as its operator may steer it. Each change is in the settings file, or throws. */
export interface Control {
  /** The settings file in use, or the one that a change would make. */
  readonly file: string
  /** Those that the gateway follows now. */
  settings(): readonly ControlledSetting[]
  /** A patch of the settings, nested or with dotted keys. Throws `GatewayError`: `bad_request`, or `conflict`. */
  write(patch: Readonly<Record<string, unknown>>): Promise<Changed>
  /** Throws as `write` does. */
  changeProviders(change: ProviderChange): Promise<Changed>
}

/** Offered by the process, not by a plugin of the pipeline; absent where something else runs the gateway. */
export const control = facet<Control>('control')
