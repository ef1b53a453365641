import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { z } from 'zod'
import type { LoadedSettings } from '../../../config/load.ts'
import { deriveValues } from '../../../config/providers.ts'
import { createLoader, type Loader } from '../../../core/pipeline/loader.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import { CommandError } from '../failure.ts'
import { pipelineFile } from '../pipeline-file.ts'

/** Whose credential is stored. */
export interface KnownProvider {
  /** What it is stored under: the instance, where there is one of this name, else the first name of its vendor. */
  readonly name: string
  readonly vendor: string
}

const entry = z.looseObject({ use: z.string().optional() }).nullable().catch(null)
const declared = z.looseObject({ providers: z.record(z.string(), entry).catch({}).default({}) })
const preset = z.looseObject({ vendor_names: z.array(z.string()).min(1) })

/**
 * The provider of this name: an instance, a vendor (`google` is `gemini`, `groq-responses` is `groq`), or one of `others`.
 * Throws a `CommandError` for a name that no provider would ask for.
 */
export async function knownProvider(
  name: string,
  loaded: LoadedSettings,
  others: readonly string[] = [],
): Promise<KnownProvider> {
  const instances = { ...declaredIn(loaded), ...deriveValues(loaded).provider_vendors }
  const loader = createLoader()
  const use = instances[name]
  if (use !== undefined) return { name, vendor: (await vendorOf(use, loader)) ?? use }
  const vendor = others.includes(name) ? name : await vendorOf(name, loader)
  if (vendor !== undefined) return { name: vendor, vendor }
  const known = [...Object.keys(instances), ...(await loader.names('provider')), ...others]
  const hint = didYouMean(name, known) || '; "deflector pipeline list provider" lists them all'
  throw new CommandError(`there is no provider "${name}"${hint}`)
}

/** The first name of the vendor that is meant by `use`; `undefined` for what is no vendor of ours. */
async function vendorOf(use: string, loader: Loader): Promise<string | undefined> {
  if (!(await loader.names('provider')).includes(use)) return undefined
  const { data } = preset.safeParse((await loader.load('provider', use, process.cwd())).preset)
  return data?.vendor_names[0]
}

/** Providers that the pipeline file itself has, with what each uses. One that cannot be read has none: `up` says why. */
function declaredIn(loaded: LoadedSettings): Record<string, string> {
  try {
    const text = readFileSync(pipelineFile(loaded, { cwd: process.cwd() }), 'utf8')
    const { providers } = declared.parse(parse(text))
    const named = Object.entries(providers).filter(([name]) => name !== '...')
    return Object.fromEntries(named.map(([name, given]) => [name, given?.use ?? name]))
  } catch {
    return {}
  }
}
