/** A build date at the end of a name: `-20251001`, `-2025-10-01`. */
const DATE = /-(?:\d{8}|\d{4}-\d{2}-\d{2})$/
/** What clouds add to a name: `@default`, `-v1:0`, `-1:0`. */
const EDITION = /@[^@]*$|-v\d+(?::\d+)?$|-\d+:\d+$/
/** Regions in front of the names of one cloud. */
const REGION = /^(us|eu|au|apac|jp|global)\./
/** Vendors in front of a name, as resellers write them: `openai/gpt-4o`, `anthropic.claude-opus-4-7`. */
const SEGMENTS = /^(?:.*\/|[a-z]+\.(?=[a-z]))/

/** The region that a name begins with, and the name without it. */
export function regionOf(model: string): { readonly region: string | undefined; readonly model: string } {
  const region = REGION.exec(model)?.[1]
  return { region, model: region === undefined ? model : model.slice(region.length + 1) }
}

/** The name without its date. */
export const undated = (model: string): string => model.replace(DATE, '')

/** The name without vendor and edition, lower case, dots in versions as dashes; the date stays. */
export const bareName = (model: string): string =>
  model
    .toLowerCase()
    .replace(SEGMENTS, '')
    .replace(EDITION, '')
    .replace(/(\d)\.(\d)/g, '$1-$2')
