import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { Shortener } from '../../../../plugins/layers/optimiser/shortener.ts'
import { digestOf } from '../../../../plugins/layers/optimiser/text-digest.ts'
import { documents } from './support/documents.ts'
import { rendered } from './support/rendered.ts'

/** What a model has in sight, text for text. */
async function sent(shortener: Shortener, texts: readonly string[]): Promise<string[]> {
  const candidates = texts.map(text => ({ path: [], text, digest: digestOf(text), mayChange: true }))
  const results = await shortener.shorten(candidates)
  return texts.map((text, at) => results[at]?.text ?? text)
}

const all = (): Shortener => new Shortener({ dedup: true, minify: true })
const REFERENCE = /^\[As given above, from "[^"\n]*" to "[^"\n]*"; block [0-9a-f]{8}\.\]$/m
const LONG = 'Never delete a test because it is slow, and say in a word or two why it is skipped. '.repeat(4).trim()
const RULES = `# Rules\n\n${LONG}\n\n- One.\n- Two.`

/** Requests in which much is said twice, as it is where files are joined. */
const requests = fc
  .array(fc.oneof(documents, fc.constantFrom(RULES, LONG, `${RULES}\n\n${LONG}`)), { minLength: 1, maxLength: 4 })
  .chain(texts => fc.array(fc.constantFrom(...texts, RULES), { minLength: 1, maxLength: 5 }))

test('applied twice it changes nothing more, and the same texts become the same texts', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async texts => {
      const once = await sent(all(), texts)
      assert.equal(await sent(all(), once), once)
      const shortener = all()
      assert.equal(await sent(shortener, texts), once)
      assert.equal(await sent(shortener, texts), once)
    }),
    { numRuns: 2_000 },
  )
})

test('a conversation that goes on keeps what was sent of its beginning', async () => {
  await fc.assert(
    fc.asyncProperty(requests, requests, async (texts, more) => {
      const shortener = all()
      const first = await sent(shortener, texts)
      assert.equal((await sent(shortener, [...texts, ...more])).slice(0, first.length), first)
    }),
    { numRuns: 2_000 },
  )
})

test('code and links are in each text what they were, whatever was said before', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async texts => {
      for (const [at, text] of (await sent(all(), texts)).entries()) {
        if (REFERENCE.test(text)) continue
        assert.equal(rendered(text).code, rendered(texts[at] ?? '').code)
        assert.equal(rendered(text).links, rendered(texts[at] ?? '').links)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a repeated block becomes a reference; one that is short, in code or in an example does not', async () => {
  const [first, second] = await sent(all(), [RULES, `Again:\n\n${RULES}\n\n## More\n\nBe kind.`])
  assert.is(first, RULES)
  assert.match(second ?? '', REFERENCE)
  assert.match(
    second ?? '',
    /^Again:\n\n\[As given above, from "Rules" to "- Two\."; block [0-9a-f]{8}\.\]\n\n## More\n\nBe kind\.$/,
  )
  for (const text of ['# Rules\n\nBe brief.', `\`\`\`\n${LONG}\n\`\`\``, `<example>\n${LONG}\n</example>`])
    assert.equal(await sent(all(), [text, text]), [text, text])
  // What stands in an example is no instruction that a reference could name.
  const example = `<example>\n\n${LONG}\n\n</example>`
  assert.equal(await sent(all(), [`# A\n\n${example}`, `# B\n\n${LONG}`]), [`# A\n\n${example}`, `# B\n\n${LONG}`])
})

test('the names of links hold for their own text', async () => {
  const names = Array.from({ length: 8 }, (_, at) => `[part ${at}]: https://docs.example/part/${at}`).join('\n')
  const texts = [`# A\n\nSee [part 1].\n\n${names}`, `# B\n\nSee [part 2].\n\n${names}`]
  assert.equal(await sent(all(), texts), texts)
})

test('a reference quotes words of what it stands for, in whole characters', async () => {
  const cases: readonly (readonly [text: string, from: string, to: string])[] = [
    [
      '不要因为测试很慢就删除它'.repeat(30),
      '不要因为测试很慢就删除它不要因为测试很慢就删除它不要因为测试很慢就删除它不要因为…',
      '…就删除它不要因为测试很慢就删除它不要因为测试很慢就删除它不要因为测试很慢就删除它',
    ],
    [`a${'😀'.repeat(200)}`, `a${'😀'.repeat(19)}…`, `…${'😀'.repeat(20)}`],
    [`Never \ud83d push.\n${LONG}\n***bold*** \udc00 end`, 'Never push.', 'bold end'],
    [`|---|\n| ${LONG} |\n***`, 'Never delete a test because it is slow,…', '…say in a word or two why it is skipped.'],
  ]
  for (const [text, from, to] of cases) {
    const [, second = ''] = await sent(all(), [`# A\n\n${text}`, `# B\n\n${text}`])
    assert.match(second, REFERENCE)
    assert.ok(second.includes(`from "${from}"`), second)
    assert.ok(second.includes(`to "${to}"`), second)
    assert.not.match(second, /\p{Cs}/u)
  }
})

test('each stage can be off', async () => {
  const text = `${RULES}\n<!-- x -->`
  assert.equal(await sent(new Shortener({ dedup: false, minify: false }), [text, text]), [text, text])
  assert.equal(await sent(new Shortener({ dedup: false, minify: true }), [text, text]), [RULES, RULES])
  const [, second] = await sent(new Shortener({ dedup: true, minify: false }), [text, text])
  assert.match(second ?? '', REFERENCE)
})

test.run()
