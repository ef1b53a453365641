import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { startUpstream, type Upstream } from '../support/upstream.ts'
import { WordJudge } from '../support/word-judge.ts'
import { wordJudgePipeline } from '../support/word-judge-pipeline.ts'

/** `POST /api/admin/cache/why` of a whole gateway, whose judge counts words. */

const STORED = 'How do I cancel my gym membership plan?'
const OTHERWISE = 'How can I cancel the gym membership plan that I have?'
const ENABLE = 'How do I enable dark mode in the settings?'
const DISABLE = 'How do I disable dark mode in the settings?'

interface Bench {
  readonly gateway: TestGateway
  readonly upstream: Upstream
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at, and fails where they are not
  why(question: object, headers?: Readonly<Record<string, string>>): Promise<any>
  /** Has a prompt answered, and waits until it can be found. */
  learn(prompt: string, headers?: Readonly<Record<string, string>>): Promise<void>
}

const withGateway =
  (run: (bench: Bench) => Promise<void>, settings: Readonly<Record<string, string>> = {}) =>
  async (): Promise<void> => {
    const upstream = await startUpstream()
    const given = { SERVICE__CACHE_MODE: 'both', ...settings }
    const gateway = await startGateway({ upstream, pipeline: wordJudgePipeline(), settings: given })
    const why: Bench['why'] = async (question, headers) =>
      (await gateway.post('/api/admin/cache/why', question, headers)).json
    try {
      await run({
        gateway,
        upstream,
        why,
        async learn(prompt, headers) {
          await gateway.post('/api/chat', { prompt }, headers)
          const isFound = async (): Promise<boolean> => {
            const { 'semantic-cache': semantic } = (await why({ prompt }, headers)).caches
            return semantic.candidates?.some((one: { prompt: string }) => one.prompt === prompt) ?? false
          }
          await until(`"${prompt}" is indexed`, isFound)
        },
      })
    } finally {
      await gateway.close()
      await upstream.close()
    }
  }

test(
  'a bar that no probability reaches is said in words',
  withGateway(
    async ({ why, learn }) => {
      await learn(STORED)
      const { hit, because, facts } = (await why({ prompt: OTHERWISE })).caches['semantic-cache']
      assert.is(hit, false)
      assert.match(facts.bar, /semantic_max_false_requests/)
      assert.match(because, /below the bar \(beyond all/)
    },
    { SERVICE__SEMANTIC_MAX_FALSE_REQUESTS: '0' },
  ),
)

test(
  'a prompt in other words is a hit of the layer that would answer it, with candidate, probability and bar',
  withGateway(async ({ gateway, why, learn }) => {
    await learn(STORED)
    const { answers, surface, model, caches } = await why({ prompt: OTHERWISE })
    assert.equal([answers, surface, model], ['semantic-cache', 'native', 'stub-model'])
    assert.is(caches['exact-cache'].hit, false)
    assert.match(caches['exact-cache'].facts.key, /^[0-9a-f]{64}$/)
    const { hit, because, facts, candidates } = caches['semantic-cache']
    assert.is(hit, true)
    assert.match(because, /^the only candidate has the probability 1\.0000, and the bar is 0\.\d{4}$/)
    assert.is(facts.canonical, 'how can i cancel the gym membership plan that i have')
    assert.equal(
      [facts.comparable, facts.comparable_entries, facts.bar, facts.same_canonical],
      [true, 1, new WordJudge().bar(1, 0.003), undefined],
    )
    assert.is(candidates.length, 1)
    assert.equal([candidates[0].prompt, candidates[0].hit, candidates[0].probability], [STORED, true, 1])
    assert.ok(candidates[0].similarity > 0.85 && candidates[0].similarity < 1)
    // It said the truth.
    const { headers } = await gateway.post('/api/chat', { prompt: OTHERWISE })
    assert.is(headers.get('x-service-layer'), 'l1b')
    const { answers: after, caches: known } = await why({ prompt: OTHERWISE })
    assert.is(after, 'exact-cache')
    assert.is(known['semantic-cache'].facts.matched, STORED)
  }),
)

test(
  'the rule that refuses a candidate is named',
  withGateway(async ({ why, learn }) => {
    await learn(ENABLE)
    const { answers, caches } = await why({ prompt: DISABLE })
    assert.is(answers, null)
    const { because, candidates } = caches['semantic-cache']
    assert.match(because, 'refused by the rule "opposites"')
    assert.equal([candidates[0].rule, candidates[0].hit], ['opposites', false])
  }),
)

test(
  'a stored prompt with the same canonical key is shown, and a prompt that is refused says why',
  withGateway(async ({ why, learn }) => {
    await learn(STORED)
    const { caches } = await why({ prompt: `please, ${STORED}` })
    assert.is(caches['semantic-cache'].facts.same_canonical, STORED)
    assert.match(caches['semantic-cache'].because, 'same canonical key')
    const refused = (await why({ prompt: 'What is the weather today?' })).caches['semantic-cache']
    assert.equal([refused.hit, refused.because], [false, 'neither looked up nor stored: volatile'])
    const incomparable = (await why({ prompt: '¿Como cancelo mi plan?' })).caches['semantic-cache']
    assert.is(incomparable.facts.comparable, false)
    assert.match(incomparable.because, 'no other wording is compared')
  }),
)

test(
  'two prompts are compared though neither is stored',
  withGateway(async ({ why }) => {
    const same = await why({ prompt: STORED, other: OTHERWISE })
    assert.is(same.answers, 'semantic-cache')
    assert.equal(
      same.caches['semantic-cache'].candidates.map((one: { prompt: string }) => one.prompt),
      [OTHERWISE],
    )
    assert.is(
      same.caches['semantic-cache'].facts.other_canonical,
      'how can i cancel the gym membership plan that i have',
    )
    const apart = (await why({ prompt: ENABLE, other: DISABLE })).caches['semantic-cache']
    assert.equal([apart.hit, apart.candidates[0].rule, apart.candidates[0].probability], [false, 'opposites', 0])
    const far = (await why({ prompt: STORED, other: 'What do elephants eat in the wild?' })).caches['semantic-cache']
    assert.match(far.because, 'no candidate has a similarity of 0.85; the nearest has 0.')
    assert.is((await why({ prompt: STORED, other: STORED })).answers, 'exact-cache')
  }),
)

test(
  'a candidate that a request would not get to is explained, and both questions say the same of it',
  withGateway(async ({ gateway, why, learn }) => {
    const nearer = ['How do I cancel my gym membership plans?', 'How do I cancel my gym memberships plan?']
    for (const prompt of [...nearer, OTHERWISE]) await learn(prompt)
    const { answers, caches } = await why({ prompt: STORED })
    assert.is(answers, null)
    const { because, candidates, facts } = caches['semantic-cache']
    const last = candidates.at(-1)
    assert.equal([last.prompt, last.rule, last.hit, last.probability], [OTHERWISE, 'too_far', false, 1])
    const means = 'a request judges the 2 nearest candidates that no rule refuses'
    assert.match(because, `below the bar 0.6970; candidate 3 reaches it, but is too far: ${means}`)
    assert.match(facts.too_far, means)
    const pair = (await why({ prompt: STORED, other: OTHERWISE })).caches['semantic-cache']
    assert.is(pair.hit, true)
    assert.match(pair.because, `but nearer prompts are stored, and ${means}`)
    assert.match(pair.because, 'as things are, the request is a miss for it')
    const { headers } = await gateway.post('/api/chat', { prompt: STORED })
    assert.is(headers.get('x-service-layer'), 'l3', 'it said the truth')
  }),
)

test(
  'nothing is counted, stored or asked of a provider',
  withGateway(async ({ gateway, upstream, why, learn }) => {
    await learn(STORED)
    const stats = async () => (await gateway.get('/api/admin/cache')).json
    const before = [await stats(), upstream.calls.length]
    await why({ prompt: OTHERWISE })
    await why({ prompt: STORED })
    await why({ prompt: ENABLE, other: DISABLE })
    assert.equal([await stats(), upstream.calls.length], before)
  }),
)

test(
  'surface and model choose the entries as a request would',
  withGateway(async ({ gateway, why }) => {
    const asked = { model: 'm1', messages: [{ role: 'user', content: STORED }] }
    await gateway.post('/v1/chat/completions', asked)
    const of = async (more: object) => (await why({ prompt: STORED, ...more })).answers
    await until('it is stored', async () => (await of({ surface: 'chat-completions', model: 'm1' })) === 'exact-cache')
    assert.is(await of({ surface: 'chat-completions', model: 'm2' }), null)
    assert.is(await of({ surface: 'ide-cursor', model: 'm1' }), null)
    assert.is(await of({ model: 'm1' }), null)
    const { caches } = await why({ prompt: STORED, surface: 'messages', model: 'm1' })
    assert.match(caches['semantic-cache'].because, 'flow of this surface does not list it')
    const unknown = await gateway.post('/api/admin/cache/why', { prompt: STORED, surface: 'nope' })
    assert.is(unknown.status, 400)
    assert.match(unknown.json.message, 'surface: must be one of native, chat-completions')
  }),
)

const KEYS = 'SERVICE__GATEWAY_API_KEYS'

test(
  'a key sees what it would be served, and no prompt of another one',
  withGateway(
    async ({ gateway, why, learn }) => {
      const [alice, bob] = [{ 'x-api-key': 'key-of-alice' }, { 'x-api-key': 'key-of-bob' }]
      await learn(STORED, alice)
      assert.is((await why({ prompt: OTHERWISE }, alice)).answers, 'semantic-cache')
      const others = await why({ prompt: OTHERWISE }, bob)
      assert.is(others.answers, null)
      assert.not.match(JSON.stringify(others), STORED)
      assert.is(others.caches['semantic-cache'].facts.comparable_entries, 0)
      assert.is((await gateway.post('/api/admin/cache/why', { prompt: STORED })).status, 401)
    },
    {
      [KEYS]: JSON.stringify([
        { key: 'key-of-alice', label: 'alice', admin: true },
        { key: 'key-of-bob', label: 'bob', admin: true },
      ]),
    },
  ),
)

test('a surface that lets everybody in shows its entries to no stranger', async () => {
  const pipeline = wordJudgePipeline()
  const closed = 'native:           { flow: chat }'
  const text = readFileSync(pipeline, 'utf8')
  assert.ok(text.includes(closed))
  writeFileSync(pipeline, text.replace(closed, 'native: { flow: open-lookup }'))
  const upstream = await startUpstream()
  const settings = { SERVICE__CACHE_MODE: 'both', SERVICE__GATEWAY_API_KEY: 'key-of-alice' }
  const gateway = await startGateway({ upstream, pipeline, settings })
  try {
    const why = (headers = {}) => gateway.post('/api/admin/cache/why', { prompt: STORED }, headers)
    assert.is((await why()).status, 401)
    assert.is((await why({ 'x-api-key': 'key-of-alice' })).status, 200)
  } finally {
    await gateway.close()
    await upstream.close()
  }
})

test(
  'a cache that is off says so',
  withGateway(
    async ({ why }) => {
      const { caches } = await why({ prompt: STORED })
      assert.is(caches['semantic-cache'].because, 'it is off: cache_mode is "exact"')
    },
    { SERVICE__CACHE_MODE: 'exact' },
  ),
)

test(
  'a body that is no question is refused with the name of the field',
  withGateway(async ({ gateway }) => {
    for (const [body, param] of [
      [{}, 'prompt'],
      [{ prompt: ' ' }, 'prompt'],
      [{ prompt: STORED, other: '' }, 'other'],
      [{ prompt: STORED, model: 7 }, 'model'],
    ] as const) {
      const { status, json } = await gateway.post('/api/admin/cache/why', body)
      assert.is(status, 400)
      assert.match(json.message, new RegExp(`^${param}: must`))
    }
  }),
)

test.run()
