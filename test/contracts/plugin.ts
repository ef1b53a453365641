import { isPlugin, type Plugin, type Role } from 'deflector'
import type { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { type HostGiven, type TestHost, testHost } from './host.ts'

/** A plugin under test, with what it needs to be applied. */
export interface PluginSample {
  /** Options that are valid. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Stores, models and providers that the options name; called anew for each test. */
  readonly around?: () => HostGiven
}

/** What a plugin of any role promises, as tests of `tests`: its definition, its options, and its life. */
export function checkDefinition<R extends Role>(
  tests: ReturnType<typeof suite>,
  role: R,
  plugin: Plugin,
  { options = {}, around }: PluginSample = {},
): void {
  const applied = (given: HostGiven = around?.() ?? {}): TestHost<R> => {
    const host = testHost(role, given)
    host.apply(plugin, options)
    return host
  }

  tests(`is a ${role} that the pipeline can name`, () => {
    assert.ok(isPlugin(plugin))
    assert.is(plugin.role, role)
    assert.match(plugin.name, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    assert.ok(plugin.label !== '')
  })

  tests('refuses options it does not know', () => {
    assert.ok(plugin.options.safeParse(options).success, 'the sample options are valid')
    assert.not.ok(plugin.options.safeParse({ ...options, no_such_option: true }).success)
  })

  tests('describes its options in snake case', () => {
    for (const [option, schema] of Object.entries(fieldsOf(plugin.options))) {
      assert.match(option, /^[a-z0-9]+(_[a-z0-9]+)*$/)
      assert.ok(descriptionOf(schema), `option ${option} has no .describe()`)
    }
  })

  tests('bears being disposed without a start', async () => {
    const host = applied()
    assert.is(host.clock.sleeping, 0, 'apply began to wait')
    assert.equal(
      host.logged.filter(({ level }) => level === 'error'),
      [],
    )
    await host.dispose()
  })

  tests('starts, serves and is disposed', async () => {
    const host = applied()
    await host.start()
    host.ready()
    await host.dispose()
  })

  tests('bears two generations side by side', async () => {
    const given = around?.() ?? {}
    const old = applied(given)
    const next = applied({ ...given, kept: old.kept, clock: old.clock })
    await next.start()
    next.ready()
    await old.dispose()
    await next.dispose()
    assert.equal(next.kept.ids, [], 'what was kept is let go with the last generation')
  })
}

/** The fields of an object schema, seen from outside. */
function fieldsOf(schema: unknown): Record<string, unknown> {
  assert.ok(typeof schema === 'object' && schema !== null && 'shape' in schema, 'options are a z.strictObject')
  const { shape } = schema as { shape: unknown }
  return typeof shape === 'object' && shape !== null ? { ...shape } : {}
}

/** A field's description, or that of what it wraps (`z.string().describe('…').default('')`). */
function descriptionOf(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined
  if ('description' in schema && typeof schema.description === 'string') return schema.description
  if (!('unwrap' in schema) || typeof schema.unwrap !== 'function') return undefined
  return descriptionOf(schema.unwrap())
}
