import { classifierCost } from './local/classifier-cost.ts'
import { classifiers } from './local/classifiers.ts'
import { cost } from './local/optimiser-cost.ts'
import { saved } from './local/saved-tokens.ts'
import type { Section } from './local/section.ts'
import { sideCalls } from './local/side-calls.ts'
import { tierBars } from './local/tier-bars.ts'
import { cache } from './local/vendor-cache.ts'

/** `npm run bench:local`: what the local layers save and cost, and how often they are right. `BENCH_ONLY=cache` prints the sections of that name. */
const SECTIONS: readonly Section[] = [saved, cache, cost, classifierCost, classifiers, tierBars, sideCalls]

const only = new RegExp(process.env.BENCH_ONLY ?? '', 'i')
for (const { title, print } of SECTIONS.filter(({ title }) => only.test(title)))
  process.stdout.write(`## ${title}\n\n${await print()}\n`)
