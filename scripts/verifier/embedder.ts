import type { Embed } from './streams.ts'

/** The built-in model, or a module whose `embed` gives one text's vector. */
export async function embedder(module?: string): Promise<Embed> {
  if (module !== undefined) {
    const { embed } = await import(module)
    return async texts => Promise.all(texts.map(text => embed(text)))
  }
  const { StaticModel } = await import('../../plugins/models/static/static-model.ts')
  const model = StaticModel.open(new URL('../../models/deflector-static-384', import.meta.url).pathname)
  return async texts => texts.map(text => model.embed(text))
}
