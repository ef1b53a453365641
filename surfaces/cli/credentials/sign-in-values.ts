import type { SignIn, SignInValues } from 'deflector/credentials'
import type { LoadedSettings } from '../../../config/load.ts'
import { PREFIX } from '../../../config/schema.ts'
import { didYouMean } from '../../../core/pipeline/suggest.ts'
import { CommandError } from '../failure.ts'

/** The settings of a sign-in over its defaults. Throws a `CommandError` for one that it does not have. */
export function signInValues({ name, settings }: SignIn, { values, placeOf }: LoadedSettings): SignInValues {
  const given = values.sign_in[name] ?? {}
  for (const key of Object.keys(given)) {
    if (settings[key]) continue
    const hint = didYouMean(key, Object.keys(settings)) || `; it has ${Object.keys(settings).join(', ')}`
    throw new CommandError(`${placeOf('sign_in', [name, key])}: sign_in.${name} has no setting "${key}"${hint}`)
  }
  const filled: Record<string, string> = {}
  for (const [key, { default: fallback = '' }] of Object.entries(settings))
    filled[key] = given[key] || fallback.replace(/\{(\w+)\}/g, (_, other: string) => filled[other] ?? '')
  return filled
}

/** What a person has to set before this sign-in works, as a sentence; `undefined` where nothing is missing. */
export function missingIn(signIn: SignIn, loaded: LoadedSettings): string | undefined {
  const { name, settings } = signIn
  const values = signInValues(signIn, loaded)
  const missing = Object.entries(settings).filter(([key, { required }]) => required && !values[key])
  if (missing.length === 0) return undefined
  const described = missing.map(([key, { doc }]) => {
    const variable = `${PREFIX}SIGN_IN__${name.toUpperCase()}__${key.toUpperCase()}`
    return `${key} under [sign_in.${name}], or ${variable}: ${doc}`
  })
  return `to sign in, set ${described.join(' And ')} Without it a key or token is pasted.`
}
