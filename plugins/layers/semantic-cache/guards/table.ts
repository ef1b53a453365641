import type { Analysis } from '../analysis.ts'
import { actions } from './actions.ts'
import { askedRole } from './asked-role.ts'
import { letterCase } from './case.ts'
import { connectives } from './connectives.ts'
import { definition } from './definition.ts'
import { direction } from './direction.ts'
import { form } from './form.ts'
import { grouping } from './grouping.ts'
import type { Guard } from './guard.ts'
import { howTo } from './how-to.ts'
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
import { questionAim } from './question-aim.ts'
import { quoted } from './quoted.ts'
import { rareWords } from './rare-words.ts'
import { restrictors } from './restrictors.ts'
import { roles } from './roles.ts'
import { persons, quantifiers } from './scope.ts'
import { letters, shortNames } from './short-names.ts'
import { size } from './size.ts'

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
  rareWords,
  direction,
  roles,
  participants,
  askedRole,
  grouping,
  connectives,
  mentioned,
  prepositions,
  modality,
  questionAim,
  definition,
  kinds,
  restrictors,
  actions,
  letters,
  shortNames,
  letterCase,
  howTo,
]

/** The first reason why one prompt's answer cannot serve the other; `undefined` when no guard objects. */
export function refusal(a: Analysis, b: Analysis): string | undefined {
  for (const guard of GUARDS) {
    const reason = guard(a, b)
    if (reason !== undefined) return reason
  }
  return undefined
}
