import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Browser, startBrowser } from '../support/browser.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

/** After it the overview has asked for all of its figures again, in milliseconds. */
const LONGEST_PAUSE = 10_000

const context: { browser?: Browser; gateway?: TestGateway } = {}
test.before(async () => {
  context.browser = await startBrowser()
  const upstream = await startUpstream()
  context.gateway = await startGateway({
    upstream,
    settings: { SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1' },
    file: '[usage_pricing.openai]\ninput_cost_per_million_usd = 2.5\noutput_cost_per_million_usd = 10\n',
  })
})

const browser = (): Browser => {
  if (!context.browser) throw new Error('the browser is not started')
  return context.browser
}
const gateway = (): TestGateway => {
  if (!context.gateway) throw new Error('the gateway is not started')
  return context.gateway
}

test('the first visit says what to do, and a test request shows that the gateway answers', async () => {
  const page = await browser().visit({ url: `${gateway().url}/dashboard/` })
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  await page.getByRole('button', { name: 'curl' }).click()
  assert.match(await page.locator('pre').innerText(), `curl ${gateway().url}/v1/chat/completions`)
  assert.equal(await browser().barriers(page), [])
  await page.getByRole('button', { name: 'Send a test request' }).click()
  await page.getByText('Answered by the vendor').waitFor()
  await page.getByRole('button', { name: 'Send a test request' }).click()
  await page.getByText('Answered by a cache').waitFor()
  await page.getByRole('button', { name: 'Show the figures' }).click()
  await page.getByText('Deflection rate').waitFor()
  assert.match(await page.locator('.figures').innerText(), /Deflection rate\s+50%/)
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('the first visit fits a phone, whatever the client, and nothing lies over the text to copy', async () => {
  const fresh = await startGateway({ upstream: await startUpstream() })
  const page = await browser().visit({ url: `${fresh.url}/dashboard/`, width: 390, scheme: 'dark' })
  await page.getByRole('heading', { name: 'No requests yet' }).waitFor()
  for (const client of ['OpenAI SDK', 'Anthropic SDK', 'Claude Code', 'Codex', 'curl']) {
    await page.getByRole('button', { name: client }).click()
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), client)
    const copy = await page.getByRole('button', { name: 'Copy' }).boundingBox()
    const text = await page.evaluate(`(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('.snippet pre'))
      return range.getBoundingClientRect().top
    })()`)
    assert.ok(copy && copy.y + copy.height <= Number(text), client)
  }
  assert.equal(await browser().barriers(page), [])
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('the figures, the chart and the tables are of the real traffic, and the feed tells of each request as it ends', async () => {
  const page = await browser().visit({ url: `${gateway().url}/dashboard/#/overview?hours=24` })
  const feed = page.locator('.feed tbody tr')
  await page.getByText('Live', { exact: true }).waitFor()
  const asked = { model: 'stub-model', messages: [{ role: 'user', content: 'What is a heron?' }] }
  for (let i = 0; i < 4; i++) await gateway().post('/v1/chat/completions', asked)
  await feed.nth(5).waitFor()
  assert.match(await feed.first().innerText(), 'Exact cache')
  assert.match(await feed.nth(3).innerText(), 'Cloud')
  await page.clock.fastForward(LONGEST_PAUSE)
  await page.getByText('66.7%').first().waitFor()
  const table = page.getByRole('table', { name: 'Requests by the layer that answered, in the last 24 hours' })
  await until('the chart has all requests', async () => {
    await page.clock.fastForward(LONGEST_PAUSE)
    const cells = await table.getByRole('cell').allInnerTexts()
    return cells.reduce((all, cell) => all + Number(cell), 0) === 6
  })
  assert.ok(await page.evaluate('document.querySelector(".chart canvas").width > 300'))
  await page.locator('.chart .u-over').hover({ position: { x: 300, y: 100 } })
  await page.locator('.chart-time', { hasText: '–' }).waitFor()
  await page
    .getByText(/quota|limit/i)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  assert.match(page.url(), /hours=24&chart=share$/)
  await page.getByRole('button', { name: 'How is this computed?' }).click()
  await page.getByRole('dialog').getByText('usage_pricing').waitFor()
  const prices = page.getByRole('table', { name: 'Prices that are set, for a million tokens' })
  await prices.getByRole('row', { name: 'openai $2.50 $10.00 – –' }).waitFor()
  assert.equal(await browser().barriers(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

// Colours go by the scheme, and what fits goes by the width.
for (const [width, scheme] of [
  [1440, 'light'],
  [390, 'dark'],
] as const)
  test(`at ${width} px in the ${scheme} the overview and the providers have no barrier, and fit`, async () => {
    const page = await browser().visit({ url: `${gateway().url}/dashboard/`, width, scheme })
    for (const [tab, sign] of [
      ['Overview', '.feed'],
      ['Providers', '.chain'],
    ] as const) {
      await page.getByRole('link', { name: tab, exact: true }).click()
      await page.locator(sign).waitFor()
      assert.equal(await browser().barriers(page), [], tab)
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${tab} scrolls sideways`)
    }
    await page.context().close()
    assert.equal(browser().complaints(), [])
  })

test('when the gateway is away the page says so, keeps what it knows, and goes on when it is back', async () => {
  const page = await browser().visit({ url: `${gateway().url}/dashboard/` })
  await page.locator('.feed').waitFor()
  const rate = await page.locator('.figures').innerText()
  await page.route('**/api/admin/usage?*', route => route.abort())
  await page.clock.fastForward(LONGEST_PAUSE)
  await page.getByText('The gateway does not answer.').waitFor()
  assert.is(await page.locator('.figures').innerText(), rate)
  await page.unroute('**/api/admin/usage?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('The gateway does not answer.').waitFor({ state: 'detached' })
  await page.context().close()
  browser().complaints()
})

test('while the gateway is away, layers are as last known, and what they answered is no zero', async () => {
  const page = await browser().visit({ url: `${gateway().url}/dashboard/` })
  const layers = page.locator('section.part', { has: page.getByRole('heading', { name: 'Layers' }) })
  await layers.getByRole('row', { name: /Exact cache Active \d/ }).waitFor()
  assert.is(await layers.getByText('as last known').count(), 0)
  await page.route(/\/(health|api\/admin\/.*)(\?|$)/, route => route.abort())
  await page.getByRole('button', { name: '24 hours' }).click()
  await page.clock.fastForward(LONGEST_PAUSE)
  await layers.getByText('as last known').waitFor()
  await layers.getByRole('row', { name: /Exact cache Active –/ }).waitFor()
  assert.equal(await browser().barriers(page), [])
  await page.context().close()
  browser().complaints()
})

test.run()
