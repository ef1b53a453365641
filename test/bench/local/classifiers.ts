import { figuresOf, routedOf } from 'deflector/heads'
import { classifierOptions } from '../../../plugins/layers/classifier/options.ts'
import { percent, type Section, table } from './section.ts'
import { partIn, ROUTING, routing, TIERS, type Trained, tiers } from './trained.ts'

/** What each head makes now of the prompts that nothing was learnt from. */
export const heldOutFigures = (of: Trained) => figuresOf(of.heads, partIn(of, 'held_out'))

/** How many held-out prompts a threshold would route, and for how many of those the labels of a route are right. */
export function routedFigures(of: Trained, threshold: number): { all: number; routed: number; right: number } {
  const examples = partIn(of, 'held_out')
  return { all: examples.length, ...routedOf(of.heads, examples, { threshold, wanted: ['complexity', 'task_type'] }) }
}

export const classifiers: Section = {
  title: 'Accuracy and calibration of the trained classifiers',
  async print() {
    const [routes, simple] = [await routing(), await tiers()]
    const rows = [[ROUTING, routes] as const, [TIERS, simple] as const].flatMap(([file, of]) =>
      Object.entries(heldOutFigures(of)).map(([head, { accuracy, calibration_error }]) => [
        file,
        head,
        partIn(of, 'held_out').length,
        percent(accuracy, 1),
        percent(calibration_error, 1),
      ]),
    )
    const { confidence_threshold } = classifierOptions.parse({})
    const { all, routed, right } = routedFigures(routes, confidence_threshold)
    const sentence = `At confidence ${confidence_threshold}, ${percent(routed, all)} would be routed`
    const figures = table(['file', 'head', 'held-out prompts', 'right', 'confidence off by'], rows)
    return `${figures}\n${sentence}; of these, ${percent(right, routed)} are right in complexity and task type.\n`
  },
}
