import { writeFileSync } from 'node:fs'
import { currentTypes, TYPES } from './described.ts'

writeFileSync(new URL(`../../${TYPES}`, import.meta.url), currentTypes())
