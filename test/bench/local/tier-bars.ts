import type { Part } from 'deflector/heads'
import { percent, type Section, table } from './section.ts'
import { classified, type Trained, tiers } from './trained.ts'

const COMPLEX = 'COMPLEX'
const BARS = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95]

/** How much a bar lets through to the small model, and how much of that is COMPLEX. */
export interface BarFigures {
  readonly simple: number
  /** Simple prompts that are answered here. */
  readonly right: number
  /** COMPLEX prompts that are answered here. */
  readonly wrong: number
}

/** As the layer `slm` decides. */
export function barFigures(of: Trained, part: Part, bar: number): BarFigures {
  const all = classified(of, part).map(({ example, said }) => {
    const { label = COMPLEX, probabilities = {} } = said.heads.tier ?? {}
    const here = label !== COMPLEX && 1 - (probabilities[COMPLEX] ?? 1) >= bar
    return { here, complex: example.labels.tier === COMPLEX }
  })
  const here = all.filter(one => one.here)
  const wrong = here.filter(({ complex }) => complex).length
  return { simple: all.filter(({ complex }) => !complex).length, right: here.length - wrong, wrong }
}

/** The bar is chosen on the calibration part; the held-out part then says what it is worth. */
export const tierBars: Section = {
  title: 'What slm_router.confidence_threshold lets through to the small model',
  async print() {
    const of = await tiers()
    const rows = BARS.map(bar => [
      bar,
      ...(['calibration', 'held_out'] as const).flatMap(part => {
        const { simple, right, wrong } = barFigures(of, part, bar)
        return [percent(right, simple), percent(wrong, right + wrong)]
      }),
    ])
    const columns = ['calibration', 'held out'].flatMap(part => [`${part}: of the simple`, 'COMPLEX among those'])
    return table(['bar', ...columns], rows)
  },
}
