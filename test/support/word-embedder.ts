import type { Embedder } from 'deflector'

/** Words as directions: texts with the same words are near, and a word more costs little. Asked on the main thread. */
export class WordEmbedder implements Embedder {
  readonly dimensions = 384
  readonly fingerprint: string
  asked = 0
  fails = false

  constructor(fingerprint = 'words') {
    this.fingerprint = fingerprint
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    this.asked++
    if (this.fails) throw new Error('the model is gone')
    return texts.map(text => {
      const vector = new Float32Array(384)
      vector[0] = 12
      for (const stem of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
        let place = 7
        for (const c of stem) place = (place * 31 + c.charCodeAt(0)) % 383
        vector[1 + place] = 1
      }
      const length = Math.hypot(...vector)
      return vector.map(x => x / length)
    })
  }
}

/** The embedder in another process. */
export const open = (): WordEmbedder => new WordEmbedder()
