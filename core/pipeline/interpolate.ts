/** `$${` is a literal `${`; `${name}` a setting. Anything between the braces that is no setting's name is refused. */
const PLACE = /\$\$\{|\$\{([^}]*)\}?/g

/** Settings of this beginning are variables of the environment: the one who reads the environment hands them in so. */
export const VARIABLE = 'env:'

/** The setting whose value stands for the whole of a text: `${setting}`. */
export const settingAlone = (text: string): string | undefined => /^\$\{([^{}]*)\}$/.exec(text)?.[1]

/**
 * A scalar of the pipeline file with its settings filled in. `${setting}` alone keeps the setting's type; inside text
 * it is written in. What a setting holds is never read for further places.
 */
export function interpolate(
  text: string,
  settings: Readonly<Record<string, unknown>>,
  unknown: (setting: string) => void,
): unknown {
  const fill = (setting: string): unknown => {
    if (!Object.hasOwn(settings, setting)) unknown(setting)
    return settings[setting]
  }
  const alone = settingAlone(text)
  if (alone !== undefined) return fill(alone)
  return text.replaceAll(PLACE, (_place: string, setting: string | undefined) => {
    if (setting === undefined) return '${'
    const value = fill(setting)
    if (value === undefined || value === null) return ''
    return typeof value === 'object' ? JSON.stringify(value) : String(value)
  })
}
