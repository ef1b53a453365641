import { type Facts, fact } from '../facts.ts'
import { givenTextStart, layoutStart } from '../given-text.ts'

/** `Correct: we was late`, `Correct: they was late`: two texts to work on are two questions, however alike. */
export function agreeOnGivenTexts(a: Facts, b: Facts): boolean {
  const [here, there] = [given(a), given(b)]
  return (here === '' || there === '' || here === there) && spaces(a) === spaces(b)
}

const given = fact(({ said }) =>
  said
    .slice(givenTextStart(said))
    .map(({ text }) => text)
    .join(' '),
)

/** Wide spaces and line ends of a text whose spaces or lines are asked about. */
const spaces = fact(({ said }) =>
  said
    .slice(layoutStart(said))
    .flatMap(({ gap }) => gap.match(/\s{2,}|\n/g) ?? [])
    .join('|'),
)
