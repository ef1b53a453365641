import { type Facts, fact } from '../facts.ts'
import { givenTextStart } from '../given-text.ts'

/** `Correct: we was late`, `Correct: they was late`: two texts to work on are two questions, however alike. */
export function agreeOnGivenTexts(a: Facts, b: Facts): boolean {
  const [here, there] = [given(a), given(b)]
  return here === '' || there === '' || here === there
}

const given = fact(({ said }) =>
  said
    .slice(givenTextStart(said))
    .map(({ text }) => text)
    .join(' '),
)
