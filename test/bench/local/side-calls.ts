import type { Embedder } from 'deflector'
import { Heads } from 'deflector/heads'
import { conversationOf } from '../../../plugins/layers/slm/conversation.ts'
import { slmOptions } from '../../../plugins/layers/slm/options.ts'
import { COMPLEX } from '../../../plugins/layers/slm/tiers.ts'
import staticModel from '../../../plugins/models/static/index.ts'
import { TestExchange, testHost } from '../../contracts/host.ts'
import { AGENT_SESSIONS, SIDE_CALLS } from '../agent-bodies.ts'
import { bodyOf, piecesOf, promptFor, tokensOf } from './optimised.ts'
import { type Section, table } from './section.ts'
import { artifactIn, TIERS } from './trained.ts'

const { max_prompt_chars, confidence_threshold } = slmOptions.parse({})

/**
 * Which of an agent's side calls a small model may be asked, and what the trained classifier says of them. What a model would
 * say, and whether its answer passes the guard, depends on the model.
 */
export const sideCalls: Section = {
  title: 'Side calls of agents that a small model may answer',
  async print() {
    const host = testHost('model')
    const embedder = host.apply(staticModel) as Embedder
    await host.start()
    const heads = new Heads(artifactIn(TIERS))
    const rows: (string | number)[][] = []
    for (const { name, format, body } of SIDE_CALLS) {
      const prompt = promptFor({ format }, body)
      const found = conversationOf(new TestExchange({ prompt }), max_prompt_chars)
      const tokens = piecesOf(bodyOf(prompt)).reduce((sum, { text }) => sum + tokensOf(text), 0)
      const asked = typeof found === 'string' ? `no: ${found}` : 'yes'
      const tier = typeof found === 'string' ? '-' : await tierOf(found.last)
      rows.push([`${name} (${format})`, tokens, asked, tier])
    }
    await host.dispose()
    return `${table(['side call', 'tokens', 'may be asked', 'classifier "heads"'], rows)}\n${shareOfSide()}\n`

    async function tierOf(text: string): Promise<string> {
      const [vector] = await embedder.embed([text])
      const tier = vector && heads.classify(vector, text).heads.tier
      if (!tier) throw new Error('the artifact has no head for tiers')
      const simple = 1 - (tier.probabilities[COMPLEX] ?? 1)
      return simple >= confidence_threshold ? tier.label : `${COMPLEX} (simple: ${simple.toFixed(2)})`
    }
  },
}

/** Side calls are many, and small. */
function shareOfSide(): string {
  const tokensIn = (bodies: readonly object[], format: (typeof AGENT_SESSIONS)[number]['format']): number =>
    bodies.reduce(
      (sum, body) =>
        sum + piecesOf(bodyOf(promptFor({ format }, body))).reduce((all, { text }) => all + tokensOf(text), 0),
      0,
    )
  const sums = AGENT_SESSIONS.map(
    ({ turns, side, format }) => [tokensIn(side, format), tokensIn(turns, format)] as const,
  )
  const [side, turns] = sums.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0])
  return `Of the tokens of the conversations above, side calls have ${((100 * side) / (side + turns)).toFixed(2)} %.`
}
