import { classifierWhy } from 'deflector/facets/classifier-why'
import { native } from 'deflector/formats/native'
import { Cancellation } from '../../../core/cancellation.ts'
import { promptOf } from '../../../core/chat/prompt.ts'
import { table } from '../../../ui-tui/text-table.ts'
import { CommandError } from '../failure.ts'
import { inWorkshop } from './workshop.ts'

export interface ExplainOptions {
  readonly artifact?: string
}

/** `deflector classifier explain <prompt>`: its labels, and the rule that fits under the current settings. */
export async function explain(prompt: string, { artifact }: ExplainOptions): Promise<void> {
  if (prompt.trim() === '') throw new CommandError('a prompt must not be blank')
  const given = artifact === undefined ? {} : { artifact }
  const lines = await inWorkshop({ classifying: true, ...given }, async ({ surface, generation, classifier }) => {
    const why = classifier === undefined ? undefined : generation.facets.offers(classifierWhy).get(classifier)
    if (!why) throw new CommandError('the pipeline has no layer "classifier"')
    const body = { prompt }
    const { exchange } = await surface.inspect({
      id: 'explain',
      namespace: native.name,
      headers: {},
      cancellation: new Cancellation(),
      read: async () => promptOf(native, Buffer.from(JSON.stringify(body)), body),
    })
    const { heads, overallConfidence, threshold = 0, rule, target, because } = await why(exchange)
    if (!heads || overallConfidence === undefined) throw new CommandError(because)
    const entries = Object.entries(heads)
    const rows = table(
      entries.map(([head, { label, confidence }]) => [head, label, confidence.toFixed(2)]),
      [0, 1],
    )
    const all = entries.map(([, { label, probabilities }], at) => {
      const others = Object.entries(probabilities).filter(([name]) => name !== label)
      const rest = others.sort(([, a], [, b]) => b - a).map(([name, share]) => `${name} ${share.toFixed(2)}`)
      return `${rows[at]}  (${rest.join(', ')})`
    })
    const sure = overallConfidence >= threshold
    return [
      ...all,
      '',
      `confidence ${overallConfidence.toFixed(3)}, ${sure ? 'at or above' : 'below'} the threshold of ${threshold}`,
      rule === undefined ? 'no rule fits these labels' : `the rule "${rule}" fits and leads to ${target}`,
      ...(rule !== undefined && !sure ? ['it does not count, as the confidence is too low'] : []),
    ]
  })
  process.stdout.write(`${lines.join('\n')}\n`)
}
