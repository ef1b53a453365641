import type { EmbedderHandle, Writer } from 'deflector'
import classifier from '../../../plugins/layers/classifier/index.ts'
import slm from '../../../plugins/layers/slm/index.ts'
import staticModel from '../../../plugins/models/static/index.ts'
import { testHost } from '../../contracts/host.ts'
import { exactHit, type Timed, timesOf } from './layer-times.ts'
import { type Section, table } from './section.ts'

/** No prompt comes twice. */
const question = (round: number): string =>
  `Why does the nightly import of customer ${round} stop after a few thousand rows, although every part works alone?`
const log = (round: number): string => `${question(round)}\n${'at Import.row (import.ts:12:7)\n'.repeat(60)}`

/** The layer declines, so this is never asked. */
const writer: Writer = {
  model: 'none',
  write: () => Promise.reject(new Error('the small model was asked')),
}

async function embedding(): Promise<{ embedder: EmbedderHandle; dispose: () => Promise<void> }> {
  const host = testHost('model')
  const embedder = host.apply(staticModel) as EmbedderHandle
  await host.start()
  return { embedder, dispose: () => host.dispose() }
}

/** A layer with the built-in embedder and its shipped classifier. */
async function layer(
  plugin: typeof slm | typeof classifier,
  hook: 'receive' | 'answer',
  options: object,
): Promise<Timed> {
  const { embedder, dispose } = await embedding()
  const host = testHost('layer', { models: { embedder, writer } })
  host.apply(plugin, { enabled: true, ...options })
  await host.start()
  host.ready()
  return {
    run: exchange => host.call[hook](exchange),
    dispose: async () => {
      await host.dispose()
      await dispose()
    },
  }
}

/** What a request spends in the layers that classify, where they decline. */
export const classifierCost: Section = {
  title: 'What the trained classifiers cost a request that they pass on',
  async print() {
    const heads = { writer: 'writer', classifier: 'heads', embedder: 'embedder' }
    const routes = () => layer(classifier, 'receive', { chain: [] })
    const tiers = () => layer(slm, 'answer', heads)
    const cases: readonly (readonly [string, () => Promise<Timed>, (round: number) => string])[] = [
      ['an exact hit', exactHit, () => 'hit'],
      ['classifier, a question', routes, question],
      ['classifier, a log of 2 KB', routes, log],
      ['slm with heads, a question', tiers, question],
      ['slm with heads, a log of 2 KB', tiers, log],
    ]
    const rows: string[][] = []
    let base = 0
    for (const [name, open, text] of cases) {
      const [median, longest] = await timesOf(await open(), text)
      base ||= median
      rows.push([name, median.toFixed(0), longest.toFixed(0), (median / base).toFixed(1)])
    }
    return table(['layer, alone', 'median, us', '99 %, us', 'median over that of a hit'], rows)
  },
}
