import type { Analysis } from '../analysis.ts'
import { aim } from './aim.ts'
import { asked } from './asked.ts'
import { letterCase } from './case.ts'
import { company } from './company.ts'
import { connectives } from './connectives.ts'
import { deeds } from './deeds.ts'
import { definition } from './definition.ts'
import { direction } from './direction.ts'
import { form } from './form.ts'
import type { Guard } from './guard.ts'
import { identifiers, symbols } from './identifiers.ts'
import { kinds } from './kinds.ts'
import { mentioned } from './mentioned.ts'
import { modality } from './modality.ts'
import { capitalisedNames, knownNames } from './names.ts'
import { numbers } from './numbers.ts'
import { participants } from './participants.ts'
import { polarity } from './polarity.ts'
import { prepositions } from './prepositions.ts'
import { question } from './question.ts'
import { quoted } from './quoted.ts'
import { restrictors } from './restrictors.ts'
import { roles } from './roles.ts'
import { persons, quantifiers } from './scope.ts'
import { letters, shortNames } from './short-names.ts'
import { size } from './size.ts'
import { things } from './things.ts'
import { ways } from './ways.ts'

/** All guards, the cheap and the frequent ones first. */
const GUARDS: readonly Guard[] = [
  size,
  numbers,
  polarity,
  identifiers,
  symbols,
  quoted,
  knownNames,
  capitalisedNames,
  quantifiers,
  persons,
  question,
  form,
  things,
  direction,
  roles,
  participants,
  asked,
  company,
  connectives,
  mentioned,
  prepositions,
  modality,
  aim,
  definition,
  kinds,
  restrictors,
  deeds,
  letters,
  shortNames,
  letterCase,
  ways,
]

/** The first reason why one prompt's answer cannot serve the other; `undefined` when no guard objects. */
export function refusal(a: Analysis, b: Analysis): string | undefined {
  for (const guard of GUARDS) {
    const reason = guard(a, b)
    if (reason !== undefined) return reason
  }
  return undefined
}
