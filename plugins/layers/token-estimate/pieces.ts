/** Characters without a change between words and gaps: the tokenizer takes the square of their number. */
const LONG_RUN = 256
const LONG_RUNS = new RegExp(`\\S{${LONG_RUN},}|\\s{${LONG_RUN},}`, 'g')

/** A text in pieces that a tokenizer counts in good time: cut only inside of runs that no prose has. */
export function* manageable(text: string): Generator<string> {
  let from = 0
  for (const { 0: run, index } of text.matchAll(LONG_RUNS)) {
    for (let at = index + LONG_RUN; at < index + run.length; at += LONG_RUN) {
      yield text.slice(from, at)
      from = at
    }
  }
  if (from < text.length) yield text.slice(from)
}

/** Characters that go to the child in one message. */
const MESSAGE = 64 << 10

/** The same texts, the small ones joined and the large ones cut. */
export function* packed(texts: readonly string[]): Generator<string> {
  let pack = ''
  for (const text of texts) {
    for (let at = 0; at < text.length; at += MESSAGE) {
      const part = text.slice(at, at + MESSAGE)
      if (pack.length + part.length > MESSAGE) {
        yield pack
        pack = ''
      }
      pack += pack === '' ? part : `\n${part}`
    }
  }
  if (pack !== '') yield pack
}
