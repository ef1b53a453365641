import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createLoader } from '../../../core/pipeline/loader.ts'
import { packageModules } from '../../../core/pipeline/shared-modules.ts'
import { testHost } from '../../contracts/host.ts'

/** What a plugin from outside gets when it imports these, by the name it gave them. */
async function importedOutside(specifiers: readonly string[]): Promise<readonly unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'deflector-loader-'))
  const imports = specifiers.map((specifier, at) => `import * as m${at} from '${specifier}'`)
  writeFileSync(
    join(folder, 'curious.ts'),
    `${imports.join('\n')}
import { defineStore } from 'deflector'
import { z } from 'zod'
export default defineStore({
  name: 'curious',
  options: z.strictObject({}),
  apply: () => ({ seen: [${specifiers.map((_, at) => `m${at}`)}] }) as never,
})
`,
  )
  const { plugin } = await createLoader().load('store', './curious.ts', folder)
  const product = testHost('store').apply(plugin, {})
  assert.ok(typeof product === 'object' && product && 'seen' in product && Array.isArray(product.seen))
  return product.seen
}

test('a plugin from outside sees the very modules that the host runs, all that the package exports', async () => {
  const modules = packageModules()
  const specifiers = modules.map(({ specifier }) => specifier)
  for (const known of [
    'deflector',
    'deflector/formats/messages',
    'deflector/http-provider',
    'deflector/contracts/store',
  ])
    assert.ok(specifiers.includes(known), `${known} is exported`)
  const seen = await importedOutside([...specifiers, 'zod'])
  for (const [at, specifier] of [...specifiers, 'zod'].entries()) {
    const ours: Record<string, unknown> = await import(specifier)
    const theirs = seen[at]
    assert.ok(typeof theirs === 'object' && theirs, specifier)
    for (const [name, value] of Object.entries(ours))
      assert.is(Reflect.get(theirs, name), value, `${specifier} ${name}`)
  }
})

test('a module that is loaded by no plugin is not loaded at all', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'deflector-loader-'))
  writeFileSync(join(folder, 'noisy.ts'), 'globalThis.noisyModuleRan = true\n')
  const { sharedModules } = await import('../../../core/pipeline/shared-modules.ts')
  const table = sharedModules([{ specifier: 'noisy', file: join(folder, 'noisy.ts') }])
  assert.is(Reflect.get(globalThis, 'noisyModuleRan'), undefined)
  await table.noisy
  assert.is(Reflect.get(globalThis, 'noisyModuleRan'), true)
})

test.run()
