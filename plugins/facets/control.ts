import { facet } from 'deflector'

type Source = 'default' | 'file' | 'env' | 'flag'

/** Where a value comes from. */
export interface SettingPlace {
  readonly source: Source
  /** `default`, `service.toml:4`, a variable or a flag. */
  readonly origin: string
  /** False where a variable or a flag stands over the file. */
  readonly writable: boolean
}

/** A setting as the operator may see it: its secrets are masked. */
export interface ControlledSetting extends SettingPlace {
  /** Dotted: `server.port`. */
  readonly key: string
  /** Title of its section. */
  readonly section: string
  readonly value: unknown
  readonly default: unknown
  /** Variables that stand over the file; the first one that is set counts. */
  readonly variables: readonly string[]
  readonly doc: string
  /** A valid value, as the words after "must be". */
  readonly expects: string
  readonly secret: boolean
  /** It has no effect yet. */
  readonly pending: boolean
  /** A change counts from the next start on. */
  readonly restart: boolean
  /** Of a map, each value on its own. */
  readonly parts: readonly (SettingPlace & { readonly path: readonly string[] })[]
  /** JSON Schema of its values. */
  readonly schema: Readonly<Record<string, unknown>>
}

/** The settings file, beside what the gateway follows. */
export interface SettingsFile {
  /** Path of the file in use, or of the one that a change would make. */
  readonly path: string
  /** Names what the file says now; it changes with every byte. */
  readonly revision: string
  /** Why the file cannot be followed; empty for one without mistakes. */
  readonly problems: readonly string[]
  /** Settings of which the file says something else than the gateway follows: it was edited by hand, and not read again. */
  readonly unread: readonly string[]
}

/** A setting that waits for the next start. */
export interface WaitingSetting {
  readonly key: string
  /** The value that counts until then. */
  readonly running: unknown
}

/** Which settings a change changes, and when each counts. */
export interface Effects {
  readonly inEffect: readonly string[]
  /** The file says them, and the gateway follows only when it starts again. */
  readonly untilRestart: readonly string[]
}

/** What became of a change. */
export interface Changed extends Effects {
  /** One line for a person. */
  readonly message: string
  /** Changed earlier, and waiting for the next start still. */
  readonly waiting: readonly string[]
  readonly revision: string
}

/** What would become of a change. */
export interface Checked extends Effects {
  readonly problems: readonly {
    /** The setting at fault, where one is known. */
    readonly setting: string | null
    readonly message: string
  }[]
  /** Of the file's text, unified, secrets masked; empty where nothing would change. */
  readonly diff: string
  readonly revision: string
}

/** A change of the providers that the settings describe, by instance name. */
export type ProviderChange =
  | { readonly kind: 'add'; readonly entry: Readonly<Record<string, unknown>>; readonly position?: number | undefined }
  | { readonly kind: 'edit'; readonly name: string; readonly entry: Readonly<Record<string, unknown>> }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'move'; readonly name: string; readonly position: number }

/** What was read before a change was asked for. */
export interface Expected {
  /** Of the settings file; another one is a `conflict`. */
  readonly revision?: string | undefined
}

/** How much a check looks at. */
export interface CheckDepth {
  /** The settings alone: the pipeline is not built with them. For those who check while somebody types. */
  readonly quick?: boolean
}

/** The process that runs the gateway, as far as its operator may steer it. Each change is in the settings file, or throws. */
export interface Control {
  settingsFile(): SettingsFile
  /** Those that the gateway follows now, and those that wait for its next start. */
  settings(): readonly ControlledSetting[]
  waiting(): readonly WaitingSetting[]
  /** A patch of the settings, nested or with dotted keys. Throws `GatewayError`: `bad_request`, or `conflict`. */
  write(patch: Readonly<Record<string, unknown>>, expected?: Expected): Promise<Changed>
  /** Does what `write` would do up to the point where anything changes. Throws only a `conflict` of the revision. */
  check(patch: Readonly<Record<string, unknown>>, expected?: Expected & CheckDepth): Promise<Checked>
  /** Throws as `write` does. */
  changeProviders(change: ProviderChange): Promise<Changed>
  /** Reads the file again as it stands. Throws `conflict` where the gateway cannot follow it. */
  reload(): Promise<Changed>
}

/** Offered by the process, not by a plugin of the pipeline; absent where something else runs the gateway. */
export const control = facet<Control>('control')
