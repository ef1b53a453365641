import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { minify } from '../../../../plugins/layers/optimiser/markdown/minify.ts'
import { documents } from './support/documents.ts'
import { rendered } from './support/rendered.ts'

const CASES: readonly (readonly [what: string, before: string, after: string])[] = [
  ['a comment of its own', '# A\n\n<!-- x -->\n\nb\n', '# A\n\nb\n'],
  ['a note for people', 'a\n\n<!-- Stand: May -->\n<!-- TODO: say more -->\n\nb', 'a\n\nb'],
  ['a comment of many lines', 'a\n\n<!-- x\n\ny -->\n\nb', 'a\n\nb'],
  ['a comment that parts two paragraphs', 'a\n<!-- x -->\nb', 'a\n\nb'],
  ['a comment at the head', '<!-- x -->\n\n# A', '# A'],
  ['a comment in a line', 'a <!-- x --> b', 'a  b'],
  ['a comment at the end of a line', 'a <!-- x -->\nb', 'a\nb'],
  ['a comment, and not the wide space next to it', 'a\u3000<!-- x -->\nb', 'a\u3000\nb'],
  ['rules', 'a\n\n---\n\nb\n\n***\n\nc\n\n=====\n\nd', 'a\n\nb\n\nc\n\nd'],
  ['a drawn line', 'a\n\n──────\n\nb', 'a\n\nb'],
  ['a box', 'a\n\n╔═══╗\n║ B ║\n╚═══╝\n\nc', 'a\n\nB\n\nc'],
  ['blank lines', 'a\n\n\n \n\nb', 'a\n\nb'],
  ['lines that end as on Windows', 'a\r\n\r\n\r\n<!-- x -->\r\nb', 'a\r\n\r\nb'],
]

for (const [what, before, after] of CASES) test(`takes out ${what}`, () => assert.is(minify(before), after))

const KEPT: readonly (readonly [what: string, text: string])[] = [
  ['code in a fence', '```\na\n\n\n<!-- x -->\n\n---\n\nb\n```\n'],
  ['code in a fence without an end', '~~~\na\n\n\n<!-- x -->\n'],
  ['code in a fence of a list', '- a\n\n  ```\n  b\n\n\n  c\n  ```\n'],
  ['code by indentation', 'a\n\n    b\n\n\n    c\n'],
  ['code in a line', 'see `<!-- x -->` and `` a ` <!-- y --> ``'],
  ['front matter', '---\nname: a\n\n\nmore: b\n---\n'],
  ['front matter of a file further down', 'a\n\n---\nname: a\n\n\nmore: b\n---\n'],
  ['an element that a tool reads', '<env>\n\n\n<!-- x -->\n\n---\n\n</env>\n'],
  ['an element that begins in a line', 'As <env> says:\n\n\na\n</env>\n'],
  ['the target of a link', '[a](<!-- x -->)'],
  ['a comment that is escaped', '\\<!-- x -->'],
  ['the heading over a line', 'A\n---\n\nb'],
  ['what parts two lists', '- a\n\n<!-- x -->\n\n- b\n\n---\n\n- c'],
  ['a quotation', '> a\n> <!-- x -->\n> ---'],
  ['a tree of folders', '├── src\n│   └── a.ts\n└── test'],
  ['a drawing', '┌───┐\n│ A │──▶ b\n└───┘'],
  ['a table', '| a | b |\n|---|---|\n| 1 | 2 |'],
  [
    'a mark of a tool',
    'a\n\n<!-- prettier-ignore -->\n\nb <!-- BEGIN:shared --> c\n\n<!-- lint disable line-length -->\n',
  ],
  ['a pair of marks', '<!-- badges -->\n\na\n\n<!-- /badges -->\n'],
  ['a comment around a template', 'a\n\n<!-- {% include "b" %} -->\n\nc'],
  ['a paragraph that would take long', `${'a <!-- x --> '.repeat(1_500)}b`],
  ['a comment without an end', 'a\n\n<!-- x\n\n\n\nb'],
  ['a comment that follows one without an end', '<!-- x y --> <!--\n<!-- for people -->\n\n\nb'],
  ['a comment that a quotation leaves open', '> <!-- x\n<!-- for people -->\n\n\nb'],
  ['code whose last line has another space', '```\n```\u00a0\n\n\n<!-- x -->\n\n---\n\nb\n```\n'],
  ['code whose name has a line separator', '```js\u2028\n\n\n<!-- x -->\n\n---\n\nb\n```\n'],
  ['front matter behind a byte order mark', '\ufeff---\nname: a\n\n\nmore: |\n  b\n---\n'],
  ['front matter that begins with a remark', '---\n# x\n\nname: |\n  a\n\n\n  b\n---\n'],
  ['front matter with a quoted key', '---\n"name": |\n  a\n\n\n  b\n---\n'],
  ['front matter that begins with a table', '+++\n[a]\n\n\nb = 1\n+++\n'],
  ['long front matter', `---\n${'a: b\n'.repeat(300)}c: |\n  d\n\n\n  e\n---\n`],
  [
    'code in a line behind a lone tick',
    '- Escape the ` sign.\n- Begin with `a <!-- b --> c` first, <!-- d --> always.',
  ],
  ['code in a line below a lone tick', '# The ` sign\nBegin with `a <!-- b --> c` first.'],
  ['a comment that is spoken of', 'Begin with this line:\n\n<!-- All rights are reserved -->\n\nThen go on.'],
  [
    'comments that are spoken of',
    'Secrets:\n\n<!-- the door is locked -->\n<!-- the altar is trapped -->\n\nThen go on.',
  ],
  [
    'what is spoken of in code',
    'A section with `<!-- … -->` is empty.\n\n<!-- run it again -->\n\nb <!-- so it is --> c',
  ],
  ['rules that are spoken of in code', 'Slides begin with `---`.\n\n---\n\na\n\n---\n\nb'],
  [
    'a pair of marks that say more',
    '<!-- LIST:START - do not remove this part -->\n\na\n\n<!-- END of what is made by a tool -->\n\nb',
  ],
  [
    'what a comment says to the model',
    'a\n\n<!-- 金额一律使用 BigDecimal，模型必须遵守。 -->\n\nb\n\n<!-- Note to the assistant: be brief -->\n\nc',
  ],
  ['a comment that is spoken of in its line', 'Begin with: <!-- All rights are reserved --> and go on.'],
  ['a rule that is spoken of', 'Part chapters **so:**\n\n=====\n\nb'],
  ['a drawn line that is spoken of', '进度如下：\n\n██████\n\nb'],
  ['a box that is spoken of', 'The banner:\n\n╔═══╗\n║ B ║\n╚═══╝\n\nc'],
  ['a patch', '# Patch\n\ndiff --git a/x b/x\n@@ -1,3 +1,4 @@\n \n \n \n+a\n'],
  ['a conflict', '# Form\n\n<<<<<<< SEARCH\na\n\n=======\n\nb\n>>>>>>> REPLACE\n'],
  ['an element whose head has many lines', '<tool\n  name="a">\n\n\n<!-- for people -->\n\n---\n\n</tool>\n'],
  ['the name of a link', 'see [a <!-- for people --> b]\n\n[a <!-- for people --> b]: /url'],
  ['JSON', '{\n  "text": "a <!-- for people --> b"\n\n\n}'],
]

for (const [what, text] of KEPT) test(`keeps ${what}`, () => assert.is(minify(text), text))

test('what is rendered of 10,000 random documents stays the same, and a second time changes nothing', () => {
  let changed = 0
  fc.assert(
    fc.property(documents, text => {
      const shorter = minify(text)
      assert.ok(shorter.length <= text.length, 'it never grows')
      if (shorter === text) return
      changed++
      assert.equal(rendered(shorter), rendered(text))
      assert.is(minify(shorter), shorter)
    }),
    { numRuns: 10_000 },
  )
  assert.ok(changed > 1_000, `${changed} documents became shorter`)
})

/** Lines at which a pattern with two ways to read them, or a look at all that is open, would take minutes: too long for a test. */
const SLOW: readonly (readonly [what: string, text: string])[] = [
  ['tabs', '\t'.repeat(1_000_000)],
  ['quotations of tabs', '>\t'.repeat(500_000)],
  ['spaces in code', `\`\`\`\na${' '.repeat(1_000_000)}b\n\`\`\``],
  ['comments in paragraphs', `${'a <!-- b c d --> '.repeat(900)}e\n\n`.repeat(120)],
  ['brackets in one paragraph', `a <!-- b c --> d\n${'[\n'.repeat(8_000)}`.repeat(10)],
  [
    'elements within each other',
    ['', '/'].flatMap(slash => Array.from({ length: 10_000 }, (_, at) => `<${slash}a${at.toString(36)}>`)).join('\n'),
  ],
]

for (const [what, text] of SLOW)
  test(`comes to an end with ${what}`, () => {
    const rules = '# Rules\n\n<!-- for people -->\n\n'
    assert.ok(minify(rules + text).length <= rules.length + text.length)
  })

test.run()
