import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readDocument, withoutBlocks } from './support/markdown.ts'

/** How the documents are written. Tables, headings and code are left out. */

const DOCUMENTS = [
  'README.md',
  'DECISIONS.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'pipelines/README.md',
  'plugins/README.md',
  'models/deflector-static-384/README.md',
  'models/deflector-routing/README.md',
  'models/deflector-tiers/README.md',
  'models/deflector-language/README.md',
  'scripts/classifier/README.md',
  'scripts/classifier/tiers/README.md',
  'scripts/tiny/README.md',
  'scripts/language/README.md',
  'test/fixtures/tiny-writer/README.md',
  'test/bench/README.md',
]
const MOST_WORDS = 25
const AVOIDED = /\b(?:whoever|nobody|what stands there|is told)\b/i

/** Paragraphs and list items, each as one line, with code as one word. */
function paragraphs(markdown: string): { readonly text: string; readonly line: number }[] {
  const found: { text: string; line: number }[] = []
  let open = false
  for (const [index, line] of withoutBlocks(markdown).split('\n').entries()) {
    const begins = /^\s*(?:[-*]|\d+\.) /.test(line)
    if (line.trim() === '' || /^(?:#|\||>)/.test(line)) open = false
    else if (open && !begins) found.push({ text: `${found.pop()?.text} ${line.trim()}`, line: index + 1 })
    else {
      found.push({ text: line.replace(/^\s*(?:[-*]|\d+\.) /, '').trim(), line: index + 1 })
      open = true
    }
  }
  return found.map(({ text, line }) => ({ line, text: text.replace(/`[^`]+`/g, 'code').replace(/\*\*/g, '') }))
}

const sentences = (text: string): string[] => text.split(/(?<=[.!?][)"]?)\s+(?=["(]?[A-Zc\d])/)

test('the reader of sentences finds them in paragraphs and lists, and counts code as one word', () => {
  const found = paragraphs('# Head\n\nOne two\nthree. `a b c` ends.\n- first item\n- second\n  goes on\n\n| a | b |\n')
  assert.equal(
    found.map(({ text }) => text),
    ['One two three. code ends.', 'first item', 'second goes on'],
  )
  assert.equal(sentences('One two three. code ends.'), ['One two three.', 'code ends.'])
})

for (const file of DOCUMENTS) {
  test(`no sentence of ${file} has more than ${MOST_WORDS} words`, () => {
    const long = paragraphs(readDocument(file)).flatMap(({ text, line }) =>
      sentences(text)
        .filter(sentence => sentence.split(/\s+/).length > MOST_WORDS)
        .map(sentence => `${file}:${line}: ${sentence}`),
    )
    assert.equal(long, [])
  })

  test(`${file} names its subjects`, () => {
    const vague = paragraphs(readDocument(file)).filter(({ text }) => AVOIDED.test(text))
    assert.equal(vague, [])
  })
}

test('every decision has its date, what, why, what lost and the cost, and the newest is last', () => {
  const [, ...sections] = readDocument('DECISIONS.md').split(/^## /m)
  const decisions = sections.filter(section => !section.startsWith('Dependencies'))
  assert.ok(decisions.length > 40)
  const five =
    /^\d{4}-\d\d-\d\d \S.*\n- \*\*What:\*\* \S.*\n- \*\*Why:\*\* \S.*\n- \*\*Lost:\*\* \S.*\n- \*\*Cost:\*\* \S.*\n*$/
  assert.equal(
    decisions.filter(section => !five.test(section)),
    [],
  )
  const dates = decisions.map(section => section.slice(0, 10))
  assert.equal(dates, dates.toSorted())
})

test.run()
