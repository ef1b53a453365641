import type { ZodType, z } from 'zod'
import { CHAT } from './chat/dialect.ts'
import type { Host, LayerHost, ObserverHost, SurfaceHost } from './host.ts'
import type { Model } from './model.ts'
import { refuseMoved } from './moved.ts'
import { suggest } from './pipeline/suggest.ts'
import type { Provider } from './provider.ts'
import type { Role } from './role.ts'
import type { Store } from './store.ts'

/**
 * A plugin is one value: its options as a zod schema, then `apply`, which only wires. Opening files, sockets and models
 * belongs in `host.onStart`. This is what each role is handed and what its `apply` gives back. */
export interface Roles {
  store: { host: Host; gives: Store }
  model: { host: Host; gives: Model }
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
  /** Operations that it understands; it is not asked for others. `*` is any. Default: `chat` alone. */
  readonly operations?: readonly string[]
  /** What the spans of its taps are called. A tap of a hook that is not named here has no span. */
  readonly spans?: Readonly<Partial<Record<'receive' | 'answer' | 'recover' | 'settle', string>>>
  /** The options that take names of stores, models or providers: messages about a misplaced one name the option. */
  readonly asks?: Readonly<Partial<Record<'store' | 'model' | 'provider', string>>>
}

export interface SurfaceDefinition<S extends ZodType> extends Definition<'surface', S> {
  /**
   * True when the surface asks its flow: an instance in the pipeline file then has to name one. Without it the host's
   * `serve`, `admit`, `lookup`, `inspect` and `put` throw.
   */
  readonly needsFlow?: boolean
  /** Operations that its requests may ask for, so that lint can see whether the flow serves them. Default: none. */
  readonly operations?: readonly string[]
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
  readonly operations: readonly string[]
  readonly asks: NonNullable<LayerDefinition<ZodType>['asks']>
  readonly needsFlow: boolean
  apply(host: never, options: never): unknown
}

type AnyDefinition<S extends ZodType> = Definition<Role, S> &
  Partial<LayerDefinition<S>> &
  Partial<SurfaceDefinition<S>>

function define<S extends ZodType>(
  role: Role,
  given: Definition<Role, S> | LayerDefinition<S> | SurfaceDefinition<S>,
): Plugin {
  refuseMoved('definition', given)
  refuseMissing(role, given)
  const {
    name,
    summary = '',
    options,
    label = name,
    deflects = false,
    spans = {},
    asks = {},
    needsFlow = false,
    ...rest
  } = given as AnyDefinition<S>
  const operations = rest.operations ?? (role === 'layer' ? [CHAT] : [])
  const apply = given.apply.bind(given) as Plugin['apply']
  return { [PLUGIN]: true, role, name, summary, options, label, deflects, operations, spans, asks, needsFlow, apply }
}

/** A plugin in JavaScript, or one that nobody has type-checked, may lack what TypeScript asks for. */
function refuseMissing(role: Role, given: object): void {
  const { name = '', apply, options }: { name?: unknown; apply?: unknown; options?: unknown } = given
  const missing = typeof apply !== 'function' ? 'apply' : options === undefined ? 'options' : undefined
  if (missing === undefined) return
  const near = suggest(missing, Object.keys(given))
  const wanted = missing === 'apply' ? 'the function "apply"' : 'the zod schema "options"'
  const what = near === undefined ? `give its definition ${wanted}` : `rename "${near}" to it`
  throw new TypeError(`the ${role} "${String(name)}" has no "${missing}"; ${what}`)
}

export const defineStore = <S extends ZodType>(given: Definition<'store', S>): Plugin => define('store', given)
export const defineModel = <S extends ZodType>(given: Definition<'model', S>): Plugin => define('model', given)
export const defineProvider = <S extends ZodType>(given: Definition<'provider', S>): Plugin => define('provider', given)
export const defineLayer = <S extends ZodType>(given: LayerDefinition<S>): Plugin => define('layer', given)
export const defineObserver = <S extends ZodType>(given: Definition<'observer', S>): Plugin => define('observer', given)
export const defineSurface = <S extends ZodType>(given: SurfaceDefinition<S>): Plugin => define('surface', given)

export const isPlugin = (value: unknown): value is Plugin =>
  typeof value === 'object' && value !== null && PLUGIN in value
