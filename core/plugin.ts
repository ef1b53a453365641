import type { ZodType, z } from 'zod'
import type { Embedder, Host, LayerHost, ObserverHost, Provider, Store, SurfaceHost, Writer } from './host.ts'

/**
 * The six roles. A plugin is one value: its options as a zod schema, then `apply`, which only wires. Opening files,
 * sockets and models belongs in `host.onStart`.
 */
export type Role = 'store' | 'model' | 'provider' | 'layer' | 'observer' | 'surface'

/** What each role is handed and what its `apply` gives back. */
export interface Roles {
  store: { host: Host; gives: Store }
  model: { host: Host; gives: Embedder | Writer }
  provider: { host: Host; gives: Provider }
  layer: { host: LayerHost; gives: void }
  observer: { host: ObserverHost; gives: void }
  surface: { host: SurfaceHost; gives: void }
}

export interface Definition<R extends Role, S extends ZodType> {
  /** Kebab-case; the name by which YAML finds a built-in plugin. */
  readonly name: string
  /** One line for `deflector pipeline list`. */
  readonly summary?: string
  /** Every option with a `.describe()`; unknown ones are refused (`z.strictObject`). */
  readonly options: S
  apply(host: Roles[R]['host'], options: z.output<S>): Roles[R]['gives']
}

export interface LayerDefinition<S extends ZodType> extends Definition<'layer', S> {
  /** The label sent as `X-Service-Layer` for what this layer answers or refuses. Default: the plugin's name. */
  readonly label?: string
  /** Does an answer of this layer save a cloud call? */
  readonly deflects?: boolean
  /** What the spans of its taps are called. A tap of a hook that is not named here has no span. */
  readonly spans?: Readonly<Partial<Record<'receive' | 'answer' | 'recover' | 'settle', string>>>
  /** The options that take names of stores, models or providers. Messages lead there who names one in the wrong place. */
  readonly asks?: Readonly<Partial<Record<'store' | 'model' | 'provider', string>>>
  /** How traces name this layer where they say who answered. Default: the label. */
  readonly recordedAs?: string
}

export interface SurfaceDefinition<S extends ZodType> extends Definition<'surface', S> {
  /** True when the surface asks its flow: an instance in the pipeline file then has to name one. */
  readonly needsFlow?: boolean
}

const PLUGIN = Symbol.for('deflector.Plugin')

/** A defined plugin of any role, its types forgotten. */
export interface Plugin {
  readonly [PLUGIN]: true
  readonly role: Role
  readonly name: string
  readonly summary: string
  readonly options: ZodType
  readonly label: string
  readonly deflects: boolean
  readonly spans: NonNullable<LayerDefinition<ZodType>['spans']>
  readonly asks: NonNullable<LayerDefinition<ZodType>['asks']>
  readonly recordedAs: string
  readonly needsFlow: boolean
  apply(host: never, options: never): unknown
}

const define = <S extends ZodType, D extends Definition<Role, S> | LayerDefinition<S> | SurfaceDefinition<S>>(
  role: Role,
  given: D,
): Plugin => ({
  [PLUGIN]: true,
  role,
  name: given.name,
  summary: given.summary ?? '',
  options: given.options,
  label: ('label' in given && given.label) || given.name,
  deflects: 'deflects' in given && given.deflects === true,
  spans: ('spans' in given && given.spans) || {},
  asks: ('asks' in given && given.asks) || {},
  recordedAs: ('recordedAs' in given && given.recordedAs) || ('label' in given && given.label) || given.name,
  needsFlow: 'needsFlow' in given && given.needsFlow === true,
  apply: given.apply.bind(given) as Plugin['apply'],
})

export const defineStore = <S extends ZodType>(given: Definition<'store', S>): Plugin => define('store', given)
export const defineModel = <S extends ZodType>(given: Definition<'model', S>): Plugin => define('model', given)
export const defineProvider = <S extends ZodType>(given: Definition<'provider', S>): Plugin => define('provider', given)
export const defineLayer = <S extends ZodType>(given: LayerDefinition<S>): Plugin => define('layer', given)
export const defineObserver = <S extends ZodType>(given: Definition<'observer', S>): Plugin => define('observer', given)
export const defineSurface = <S extends ZodType>(given: SurfaceDefinition<S>): Plugin => define('surface', given)

export const isPlugin = (value: unknown): value is Plugin =>
  typeof value === 'object' && value !== null && PLUGIN in value
