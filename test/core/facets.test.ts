import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { facet } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FacetTable } from '../../core/facets.ts'
import { Gateway } from '../../core/gateway.ts'
import { opened, tempFolder } from '../support/opened.ts'

const table = (): FacetTable => new FacetTable({ table: undefined })

test('an instance offers one value under a facet, and the last one counts', () => {
  const facets = table()
  const number = facet<number>('number')
  facets.offer(number, { role: 'layer', name: 'one' }, 1)
  facets.offer(number, { role: 'layer', name: 'two' }, 2)
  facets.offer(number, { role: 'layer', name: 'one' }, 3)
  assert.equal(Object.fromEntries(facets.offers(number)), { one: 3, two: 2 })
  assert.is(facets.offers(facet('nothing')).size, 0)
})

test('a provider and a layer of one name are kept apart', () => {
  const facets = table()
  const number = facet<number>('number')
  facets.offer(number, { role: 'layer', name: 'cloud' }, 1)
  facets.offer(number, { role: 'provider', name: 'cloud' }, 2)
  assert.is(facets.offers(number, 'layer').get('cloud'), 1)
  assert.is(facets.offers(number, 'provider').get('cloud'), 2)
})

test('facets match by name, across two tokens', () => {
  const facets = table()
  facets.offer(facet<string>('greeting'), { role: 'layer', name: 'one' }, 'hello')
  assert.is(facets.offers(facet<string>('greeting')).get('one'), 'hello')
  assert.is(facets.offers(facet<string>('Greeting')).size, 0)
})

test('a view is live: what is offered after it was asked for is in it', () => {
  const facets = table()
  const number = facet<number>('number')
  const view = facets.offers(number)
  assert.is(view.size, 0)
  assert.not.ok(view.has('one'))
  facets.offer(number, { role: 'layer', name: 'one' }, 1)
  assert.is(view.size, 1)
  assert.ok(view.has('one'))
  assert.is(view.get('one'), 1)
  assert.equal([...view.keys()], ['one'])
  assert.equal([...view.values()], [1])
  assert.equal([...view.entries()], [['one', 1]])
  const seen: unknown[] = []
  view.forEach((value, instance, offers) => void seen.push([value, instance, offers === view]))
  assert.equal(seen, [[1, 'one', true]])
})

test('a view shows its own generation until another one serves, then always the one that serves', () => {
  const latest = { table: undefined }
  const number = facet<number>('number')
  const generation = (value: number): { facets: FacetTable; seen(): number | undefined } => {
    const facets = new FacetTable(latest)
    facets.offer(number, { role: 'layer', name: 'one' }, value)
    const view = facets.offers(number)
    return { facets, seen: () => view.get('one') }
  }
  const [first, failed, second, third] = [generation(1), generation(2), generation(3), generation(4)]
  first.facets.serve()
  assert.equal([first.seen(), failed.seen()], [1, 2], 'one that is being wired sees its own offers')
  second.facets.serve()
  assert.equal([first.seen(), second.seen()], [3, 3])
  third.facets.serve()
  assert.equal([first.seen(), second.seen(), third.seen()], [4, 4, 4])
})

/** Offers its text under a token of its own, and reads what others offer when asked. */
const plugin = (name: string): string => `
import { defineSurface, facet } from 'deflector'
import { z } from 'zod'
const word = facet('word')
const words = facet('words')
const early = facet('early')
export default defineSurface({
  name: '${name}',
  options: z.strictObject({ word: z.string(), kept: z.boolean().default(false), fails: z.boolean().default(false) }),
  apply(host, options) {
    const view = host.offers(word)
    host.offer(early, view.size)
    host.offer(word, options.word)
    const read = () => Object.fromEntries(view)
    host.offer(words, options.kept ? host.keep('${name}', () => read) : read)
    host.onStart(() => {
      if (options.fails) throw new Error('it does not start')
    })
  },
})
`

test('two plugins from outside see what the other one offers, over reloads, also where one of them outlives them', async () => {
  const folder = tempFolder('facets')
  const file = join(folder, 'pipeline.yaml')
  for (const name of ['one', 'two']) writeFileSync(join(folder, `${name}.ts`), plugin(name))
  const write = (word: string, more = ''): void =>
    writeFileSync(
      file,
      `surfaces:
  one: { use: ./one.ts, options: { word: first-${word}, kept: true } }
  two: { use: ./two.ts, options: { word: second-${word}${more} } }
`,
    )
  write('a')
  const quiet = { debug() {}, info() {}, warn() {}, error() {} }
  const gateway = await Gateway.start({ pipelineFile: file, settings: () => ({}), log: quiet })
  const close = opened(() => gateway.close(1000))
  const words = gateway.offers(facet<() => Record<string, string>>('words'))
  const early = gateway.offers(facet<number>('early'))
  const [first, second] = [words.get('one'), words.get('two')]
  assert.ok(first && second)
  assert.equal(Object.fromEntries(early), { one: 0, two: 1 }, 'the map fills while the generation is wired')
  const a = { one: 'first-a', two: 'second-a' }
  assert.equal([first(), second()], [a, a])

  write('b')
  assert.ok((await gateway.reload()).ok)
  const b = { one: 'first-b', two: 'second-b' }
  assert.is(words.get('one'), first, 'the kept one is the same')
  assert.is.not(words.get('two'), second)
  assert.equal([first(), second(), words.get('two')?.()], [b, b, b])

  write('c', ', fails: true')
  assert.not.ok((await gateway.reload()).ok)
  assert.equal([first(), second(), words.get('two')?.()], [b, b, b], 'a generation that never served shows nowhere')

  writeFileSync(file, 'surfaces:\n  one: { use: ./one.ts, options: { word: first-d, kept: true } }\n')
  assert.ok((await gateway.reload()).ok)
  assert.equal(first(), { one: 'first-d' }, 'what a reload took away is gone')
  await close()
})

test.run()
