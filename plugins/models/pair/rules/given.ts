import { keptGaps } from '../canonical.ts'
import { type Facts, fact } from '../facts.ts'
import { givenTextStart } from '../given-text.ts'

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

/** Wide spaces and line ends where they may be asked about. */
const spaces = fact(({ said }) =>
  said
    .slice(1)
    .map(({ gap }) => gap)
    .filter(keptGaps(said))
    .flatMap(gap => gap.match(/\s{2,}|\n/g) ?? [])
    .join('|'),
)
