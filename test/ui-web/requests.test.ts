import { chromium } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Browser, startBrowser } from '../support/browser.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { opened } from '../support/opened.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const CHAT = '/v1/chat/completions'
const context: { browser?: Browser; logged?: TestGateway; memory?: TestGateway } = {}
test.before(async () => {
  const upstream = await startUpstream()
  const [browser, logged, memory] = await Promise.all([
    startBrowser(),
    startGateway({ upstream, settings: { SERVICE__ENABLE_REQUEST_LOGS: 'true' } }),
    startGateway({ upstream }),
  ])
  Object.assign(context, { browser, logged, memory })
  upstream.script({ text: 'A bird.' }, { text: 'A fish.' }, { status: 400 }, { text: 'A tree.' })
  const nightly = { 'x-service-tags': 'nightly', 'user-agent': 'curl/8' }
  await ask(logged, "What's a heron?", nightly)
  await ask(logged, 'What is a carp?', { 'user-agent': 'claude-code/2' }, 'gpt-4o-mini')
  await ask(logged, 'What is refused?')
  await ask(logged, "What's a heron?", { 'user-agent': 'claude-code/2' })
  await ask(memory, 'What is an oak?')
})

const of = <T>(thing: T | undefined): T => {
  if (thing === undefined) throw new Error('it is not started')
  return thing
}
const browser = (): Browser => of(context.browser)

const ask = (gateway: TestGateway, content: string, headers: Record<string, string> = {}, model = 'gpt-4o') =>
  gateway.post(CHAT, { model, messages: [{ role: 'user', content }] }, headers)

const logOf = (gateway: TestGateway | undefined): string => `${of(gateway).url}/dashboard/#/requests`

test('the log is narrowed by every filter, which the address keeps, and by the text of bodies', async () => {
  const page = await browser().visit({ url: logOf(context.logged) })
  const rows = page.locator('a.log-row')
  const shown = async (filter: string, count: number): Promise<void> => {
    const fitting = `${count} of the requests in the request log ${count === 1 ? 'fits' : 'fit'}`
    const words = filter === '' ? `${count} requests in the request log` : fitting
    await page.getByText(words, { exact: true }).waitFor()
    assert.is(await rows.count(), count, filter)
    if (filter !== '') assert.match(page.url(), filter)
  }
  await shown('', 4)
  await page.getByRole('link', { name: /vendor_refused gpt-4o/ }).waitFor()
  for (const [label, value, address, count] of [
    ['layers', 'l1a', 'layer=l1a', 1],
    ['statuses', '4', 'status=4', 1],
    ['clients', 'claude-code', 'client=claude-code', 2],
    ['models', 'gpt-4o-mini', 'model=gpt-4o-mini', 1],
    ['tags', 'nightly', 'tag=nightly', 1],
  ] as const) {
    await page.getByLabel(label).selectOption(value)
    await shown(address, count)
    await page.getByRole('link', { name: 'Clear' }).click()
    await shown('', 4)
  }
  await page.getByLabel('Search').fill('a CARP')
  await shown('q=a+CARP', 1)
  await page.reload()
  await shown('q=a+CARP', 1)
  await page.getByLabel('Search').fill('nothing like it')
  await page.getByText('No kept request is like that.').waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('a story has the steps, the cost of each call and both bodies; curl has a placeholder for the key', async () => {
  const page = await browser().visit({ url: logOf(context.logged) })
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('link', { name: /claude-code.*gpt-4o-mini|gpt-4o-mini.*claude-code/ }).click()
  const story = page.getByRole('dialog')
  await story.getByRole('heading', { name: 'Answered by openai' }).waitFor()
  await story.getByText('Has nothing stored for it').first().waitFor()
  const calls = story.locator('section', { has: page.getByRole('heading', { name: 'Vendor calls' }) })
  assert.match(await calls.innerText(), /openai\s+gpt-4o-mini[\s\S]*answered \(200\)[\s\S]*\$0\.0000\d+/)
  assert.match(await story.locator('pre').first().innerText(), '"content": "What is a carp?"')
  assert.match(await story.locator('pre').last().innerText(), 'A fish.')
  await story.getByRole('button', { name: 'Copy as curl' }).click()
  await story.getByRole('button', { name: 'Copied' }).waitFor()
  const curl = String(await page.evaluate('navigator.clipboard.readText()'))
  assert.match(curl, `curl -X POST '${of(context.logged).url}${CHAT}'`)
  assert.match(curl, '-H "X-API-Key: $KEY"')
  assert.match(curl, /--data-raw '\{.*What is a carp\?.*\}'$/)
  await page.keyboard.press('Escape')
  await story.waitFor({ state: 'detached' })
  assert.not.match(page.url(), 'id=')
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('a request that a limit refused says whose limit, what it is, and that its vendor was not called', async () => {
  const quota = { SERVICE__QUOTA__OPENAI__DAILY_COST_LIMIT_USD: '0.0000001' }
  for (const [action, logs] of [
    ['block', 'true'],
    ['fallback', 'false'],
  ] as const) {
    const settings = {
      ...quota,
      SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: action,
      SERVICE__ENABLE_REQUEST_LOGS: logs,
    }
    const gateway = await startGateway({ upstream: await startUpstream(), settings })
    await ask(gateway, 'What is a heron?')
    const page = await browser().visit({ url: logOf(gateway) })
    await page.locator('a.log-row').click()
    const story = page.getByRole('dialog')
    await story.getByRole('heading', { name: 'Refused by a limit' }).waitFor()
    await story.getByText('A limit of provider openai had no room for it.').waitFor()
    await story.getByText(/Now \$0\.00 of \$0\.0000001 per day are used, until .*\d\d:\d\d/).waitFor()
    await story.getByText('openai gpt-4o Not called: refused by a limit').waitFor()
    await story.getByRole('cell', { name: 'Refused: a limit has no room for it' }).waitFor()
    assert.is(await story.getByRole('heading', { name: 'Vendor calls' }).count(), 0)
    const told = story.getByText(
      /The client was told: the daily cost limit of openai is too low for this call: .* more than the whole limit/,
    )
    assert.is(await told.count(), logs === 'true' ? 1 : 0, action)
    assert.equal(await browser().barriers(page), [])
    await page.context().close()
  }
  const spare = await startUpstream()
  const fallback = `[[fallback_providers]]\nname = "spare"\nprovider = "groq"\nurl = "${spare.url}"\napi_key = "sk-spare"\n`
  const answering = await startGateway({
    upstream: spare,
    file: fallback,
    settings: { ...quota, SERVICE__QUOTA__OPENAI__ACTION_ON_LIMIT: 'fallback' },
  })
  await ask(answering, 'What is a heron?')
  const answered = await browser().visit({ url: logOf(answering) })
  await answered.locator('a.log-row').click()
  await answered.getByRole('heading', { name: 'Passed over for a limit' }).waitFor()
  await answered.getByRole('cell', { name: 'answered (200)' }).waitFor()
  await answered.getByText('openai gpt-4o Not called: refused by a limit').waitFor()
  await answered.context().close()
  const file =
    '[[gateway_api_keys]]\nkey = "key-of-ann"\nlabel = "ann"\nadmin = true\n\n[limits.ann]\nrequests_per_minute = 0\n'
  const keyed = await startGateway({ upstream: await startUpstream(), file })
  await ask(keyed, 'What is a heron?', { 'x-api-key': 'key-of-ann' })
  const page = await browser().visit({ url: logOf(keyed) })
  await page.getByLabel('Gateway key').fill('key-of-ann')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('a.log-row').click()
  await page.getByText('A limit of gateway key ann had no room for it.').waitFor()
  await page.getByRole('cell', { name: 'Refused: a limit has no room for it' }).waitFor()
  await page.context().close()
  const others = browser()
    .complaints()
    .filter(text => !/status of 401/.test(text))
  assert.equal(others, [])
})

test('a wrong hit is forgotten by its story, and the same question then goes to the vendor', async () => {
  const gateway = of(context.logged)
  const page = await browser().visit({ url: `${logOf(gateway)}?layer=l1a` })
  await page.locator('a.log-row').click()
  await page.getByRole('button', { name: 'This hit was wrong' }).click()
  await page.getByText('Forgotten by exact-cache').waitFor()
  const again = await ask(gateway, "What's a heron?")
  assert.is(again.headers.get('x-service-layer'), 'l3')
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('why a request was no hit is asked with its logged prompt, or with one that is pasted', async () => {
  const logged = await browser().visit({ url: `${logOf(context.logged)}?q=carp` })
  await logged.locator('a.log-row').click()
  await logged.getByRole('button', { name: 'Why not a hit?' }).click()
  await logged.getByText('By now exact-cache would answer it.').waitFor()
  assert.is(await logged.getByLabel('The prompt').inputValue(), 'What is a carp?')
  const memory = await browser().visit({ url: logOf(context.memory) })
  await memory.locator('a.log-row').click()
  await memory.getByText('They are not kept.').waitFor()
  await memory.getByRole('button', { name: 'Why not a hit?' }).click()
  await memory.getByLabel('The prompt').fill('What is an elm?')
  await memory.getByRole('button', { name: 'Ask the caches' }).click()
  await memory.getByText('No cache would answer it.').waitFor()
  await memory.getByText('no answer to this very request is stored').waitFor()
  for (const page of [logged, memory]) await page.context().close()
  assert.equal(browser().complaints(), [])
})

/**
 * Id of the first request that was refused for this reason. An entry gets into the index behind its answer, and a lookup
 * has milliseconds: on a busy machine it takes more than one request.
 */
async function refusedFor(
  gateway: TestGateway,
  reason: string,
  attempt: (at: number) => Promise<Pick<Response, 'headers'>>,
) {
  let attempts = 0
  let id = ''
  await until(`a request was refused for ${reason}`, async () => {
    const { headers } = await attempt(attempts++)
    id = headers.get('x-service-request-id') ?? ''
    const { json } = await gateway.get(`/api/admin/requests/${id}`)
    return JSON.stringify(json.trail).includes(`refused ${reason}`)
  })
  return id
}

test('a miss says which stored prompt was refused, by how much, and what the rule means', async () => {
  const gateway = await startGateway({
    upstream: await startUpstream(),
    settings: { SERVICE__CACHE_MODE: 'both', SERVICE__ENABLE_REQUEST_LOGS: 'true' },
  })
  const toProject = (what: string, model: string) => ask(gateway, `How do I ${what} an old project?`, {}, model)
  // Only prompts to one model are compared.
  const improbable = await refusedFor(gateway, 'improbable', async at => {
    await toProject('delete', `m-${at + 1}`)
    return toProject('restore', `m-${at}`)
  })
  const refused = await refusedFor(gateway, 'numbers', at => ask(gateway, `How do I add ${at + 3} users?`))
  const page = await browser().visit({ url: `${logOf(gateway)}?q=${improbable}` })
  await page.locator('a.log-row').click()
  const story = page.getByRole('dialog')
  await story.getByRole('cell', { name: 'trail-header, session, aliases' }).waitFor()
  await page.getByRole('button', { name: 'Why not a hit?' }).click()
  const then = story.locator('.story-why')
  await then
    .getByText('semantic-cache Served nothing: the nearest stored prompt is not likely enough to have the same answer')
    .waitFor()
  await then
    .getByText(/The nearest was “How do I delete an old project\?”\..* has the probability 0\.\d+, below the bar/)
    .waitFor()
  await then.getByText('By now exact-cache would answer it.').waitFor()
  assert.equal(await browser().barriers(page), [])
  await page.goto(`${logOf(gateway)}?q=${refused}`)
  await page.locator('a.log-row').click()
  await story.getByText('Served nothing: the nearest stored prompt has other numbers (rule "numbers")').waitFor()
  assert.not.match(await story.innerText(), 'probability 0.0000')
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('requests come in as they end, not while it is paused, and only those that fit; j, k, Enter and Escape move', async () => {
  const gateway = of(context.memory)
  const page = await browser().visit({ url: `${logOf(gateway)}?client=curl` })
  const rows = page.locator('a.log-row')
  await page.getByText('Live', { exact: true }).waitFor()
  const curl = { 'user-agent': 'curl/8' }
  await ask(gateway, 'not this one', { 'user-agent': 'claude-code/2' })
  for (const word of ['one', 'two', 'three']) await ask(gateway, word, { ...curl, 'user-agent': 'aider/1' }, 'm')
  await page.goto(`${logOf(gateway)}?client=aider`)
  await rows.nth(2).waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await ask(gateway, 'four', { 'user-agent': 'aider/1' }, 'm')
  await page.getByText('1 new').waitFor()
  assert.is(await rows.count(), 3)
  await page.getByRole('button', { name: 'Resume' }).click()
  await rows.nth(3).waitFor()
  await page.locator('h1').click()
  const focused = async (): Promise<number> =>
    Number(await page.evaluate('[...document.querySelectorAll("a.log-row")].indexOf(document.activeElement)'))
  for (const [key, at] of [
    ['j', 0],
    ['j', 1],
    ['j', 2],
    ['k', 1],
  ] as const) {
    await page.keyboard.press(key)
    await until(`row ${at} has the focus`, async () => (await focused()) === at)
  }
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  const first = page.url()
  await page.keyboard.press('j')
  await until('the next story is open', () => page.url() !== first)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('of ten thousand requests only those on the screen are drawn, and the last one can be reached', async () => {
  const page = await browser().visit({ url: 'about:blank' })
  const entry = (at: number) => ({
    request_id: `r${at}`,
    timestamp: '2026-11-20T10:00:00Z',
    final_layer: 'l3',
    status: 200,
  })
  const entries = Array.from({ length: 10_000 }, (_, at) => entry(at))
  const answer = { enabled: true, source: 'request_log', log_path: '/log', entries }
  await page.route('**/api/admin/requests?*', route => route.fulfill({ json: answer }))
  await page.goto(logOf(context.memory))
  await page.locator('[data-id=r0]').waitFor()
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
  await page.locator('[data-id=r9999]').waitFor()
  assert.ok((await page.locator('a.log-row').count()) < 120)
  assert.is(await page.locator('li:has([data-id=r9999])').getAttribute('aria-posinset'), '10000')
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

for (const [width, first, second] of [
  [1440, 'light', 'dark'],
  [390, 'dark', 'light'],
] as const)
  test(`at ${width} px, in the light and in the dark, the log and a story have no barrier, and fit`, async () => {
    const page = await browser().visit({ url: logOf(context.logged), width, scheme: first })
    const isFine = async (what: string): Promise<void> => {
      assert.equal(await browser().barriers(page), [], what)
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${what} scrolls sideways`)
    }
    await page.locator('a.log-row').first().waitFor()
    await isFine(`the log, ${first}`)
    await page.emulateMedia({ colorScheme: second })
    await page.getByRole('link', { name: /vendor_refused/ }).click()
    await page.getByRole('heading', { name: 'Vendor calls' }).waitFor()
    await page.getByRole('button', { name: 'Why not a hit?' }).click()
    await page.getByText('No cache would answer it.').waitFor()
    await isFine(`the story, ${second}`)
    await page.context().close()
    assert.equal(browser().complaints(), [])
  })

test('with a scrollbar that takes room, a story on a phone is not cut', async () => {
  // The browser of the other tests has none.
  const wide = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox'],
    ignoreDefaultArgs: ['--hide-scrollbars'],
  })
  opened(() => wide.close())
  const page = await wide.newPage({ viewport: { width: 390, height: 300 } })
  await page.goto(logOf(context.logged))
  await page.locator('a.log-row').first().waitFor()
  assert.ok(await page.evaluate('document.documentElement.clientWidth < innerWidth'), 'the scrollbar takes room')
  await page.locator('a.log-row').first().click()
  await page.getByRole('dialog').waitFor()
  const left = Number(await page.evaluate('document.querySelector("dialog").getBoundingClientRect().left'))
  assert.ok(left >= 0, `it begins at ${left} px`)
})

test('a log that cannot be fetched says so, and goes on when it can', async () => {
  const page = await browser().visit({ url: 'about:blank' })
  await page.route('**/api/admin/requests?*', route => route.abort())
  await page.goto(logOf(context.logged))
  await page.getByText('The gateway does not answer.').waitFor()
  await page.unroute('**/api/admin/requests?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('a.log-row').first().waitFor()
  await page.context().close()
  browser().complaints()
})

test.run()
