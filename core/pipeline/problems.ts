/** One kind of finding: what it counts as by default, and one line that says what is wrong. */
interface Kind {
  readonly severity: 'error' | 'warning'
  readonly meaning: string
}

const error = (meaning: string): Kind => ({ severity: 'error', meaning })
const warning = (meaning: string): Kind => ({ severity: 'warning', meaning })

/** Every code of a finding in a pipeline file, once. The documents print it; each message names the case and the way out. */
export const PROBLEMS = {
  bad_yaml: error('the file is not YAML, or uses a part of YAML that is not supported'),
  duplicate_key: error('a key stands twice in one mapping'),
  wrong_shape: error('a value is not of the shape that its place needs'),
  bad_name: error('an instance has a name that cannot be one'),
  unknown_key: error('a section, a key or an option does not exist'),
  unknown_plugin: error('`use` leads to no plugin'),
  wrong_role: error('`use` leads to a plugin of another role'),
  broken_plugin: error('a plugin does not load, or throws while it is wired'),
  not_a_plugin: error('a file does not export a plugin'),
  bad_option: error('a plugin refuses an option, or misses one'),
  unknown_setting: error('`${…}` names no setting'),
  unknown_variable: error('`${env:…}` names a variable that is not set'),
  unknown_flow: error('a surface feeds a flow that does not exist'),
  missing_flow: error('a surface answers by a flow and names none'),
  unknown_layer: error('a flow lists a layer that does not exist'),
  duplicate_layer: error('a flow lists a layer twice'),
  unknown_store: error('a plugin asks for a store that the file does not declare'),
  unknown_model: error('a plugin asks for a model that the file does not declare'),
  unknown_provider: error('a plugin asks for a provider that the file does not declare'),
  unknown_surface: error('a listener serves a surface that the file does not declare'),
  duplicate_port: error('two surfaces listen on one port'),
  duplicate_route: error('a surface takes all calls of another one'),
  unsupported_operation: error('a surface takes an operation that its flow cannot answer'),
  duplicate_test: error('two tests have one name'),
  unused_instance: warning('no other instance asks for this one, or no flow lists it'),
  unused_flow: warning('no surface feeds this flow'),
  no_listener: warning('no surface listens'),
  unserved_surface: warning('no listener serves this surface'),
  late_cache: warning('a layer that keeps answers comes after one that asks vendors'),
} as const satisfies Readonly<Record<string, Kind>>

export type ProblemCode = keyof typeof PROBLEMS
