import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import type { LoadedSettings } from '../../../config/load.ts'
import { providerNames } from '../../../config/provider-names.ts'
import { createLoader } from '../../../core/pipeline/loader.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import { CommandError } from '../failure.ts'
import { pipelineFile } from '../pipeline-file.ts'

const declared = z.looseObject({ providers: z.record(z.string(), z.unknown()).catch({}).default({}) })
const preset = z.looseObject({ vendor_names: z.array(z.string()).min(1) })

/**
 * The name under which the credential of a provider is stored: its own where an instance has it, else the first one of its
 * vendor (`google` is `gemini`, `groq-responses` is `groq`). `others` are known although no vendor of ours has them.
 * Throws a `CommandError` for a name that no provider would ask for.
 */
export async function storedName(
  name: string,
  loaded: LoadedSettings,
  others: readonly string[] = [],
): Promise<string> {
  const instances = [...providerNames(loaded.values), ...declaredIn(loaded)]
  if (instances.includes(name) || others.includes(name)) return name
  const loader = createLoader()
  const vendors = await loader.names('provider')
  if (vendors.includes(name)) {
    const { data } = preset.safeParse((await loader.load('provider', name, process.cwd())).preset)
    const [vendor] = data?.vendor_names ?? []
    if (vendor !== undefined) return vendor
  }
  throw new CommandError(
    `there is no provider "${name}"${didYouMean(name, [...instances, ...vendors, ...others]) || '; "deflector pipeline list provider" lists them all'}`,
  )
}

/** Providers that the pipeline file itself has. A file that cannot be read has none: `up` says why. */
function declaredIn(loaded: LoadedSettings): string[] {
  try {
    const text = readFileSync(pipelineFile(loaded, { cwd: process.cwd() }), 'utf8')
    return Object.keys(declared.parse(parse(text)).providers).filter(name => name !== '...')
  } catch {
    return []
  }
}
