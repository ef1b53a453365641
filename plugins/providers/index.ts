import { ALIASES } from './presets/all.ts'
import type { Alias } from './presets/preset.ts'

/** The vendors that `use:` knows by name. */
export const aliases: Readonly<Record<string, Alias>> = Object.fromEntries(ALIASES)
