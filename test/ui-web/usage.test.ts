import { readFileSync } from 'node:fs'
import type { Locator } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Browser, startBrowser } from '../support/browser.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const DANGEROUS = '=HYPERLINK("http://evil.example")'

const context: { browser?: Browser; gateway?: TestGateway } = {}
test.before(async () => {
  const upstream = await startUpstream()
  const settings = {
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '1000000',
    SERVICE__QUOTA__OPENAI__MONTHLY_COST_LIMIT_USD: '0.0000001',
  }
  const [browser, gateway] = await Promise.all([startBrowser(), startGateway({ upstream, settings })])
  Object.assign(context, { browser, gateway })
})

const of = <T>(thing: T | undefined): T => {
  if (thing === undefined) throw new Error('it is not started')
  return thing
}
const browser = (): Browser => of(context.browser)
const url = (): string => `${of(context.gateway).url}/dashboard/#/usage`

test('before the first request it says that there is nothing', async () => {
  const page = await browser().visit({ url: url() })
  await page.getByText('Nothing was asked in this window.').waitFor()
  assert.match(await page.locator('.figures').innerText(), /Spent in the last 7 days\s+\$0\.00/)
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('sums, chart, limits and rows are those of the endpoints, by every dimension and in every window', async () => {
  const gateway = of(context.gateway)
  for (const [content, model, tags] of [
    ['one', 'gpt-4o', DANGEROUS],
    ['two', 'gpt-4o-mini', 'nightly'],
    ['one', 'gpt-4o', 'nightly'],
  ] as const) {
    const body = { model, messages: [{ role: 'user', content }] }
    await gateway.post('/v1/chat/completions', body, { 'user-agent': 'curl/8', 'x-service-tags': tags })
  }
  const told = (await gateway.get('/api/admin/usage?hours=168')).json
  const page = await browser().visit({ url: url() })
  const figures = page.locator('.figures')
  await figures.getByText('1 deflected').waitFor()
  assert.match(
    await figures.innerText(),
    new RegExp(`Requests\\s+3[\\s\\S]*Tokens sent\\s+${told.total_prompt_tokens}\\b`),
  )
  const limits = page.locator('.quota')
  await limits.first().waitFor()
  const words = await limits.allInnerTexts()
  assert.ok(
    words.some(text => /openai per day[\s\S]*tokens of 1M tokens/.test(text)),
    words.join('\n'),
  )
  assert.ok(
    words.some(text => /openai per month[\s\S]*Reached\./.test(text)),
    words.join('\n'),
  )
  const chart = page.getByRole('table', { name: 'Cost, spent and saved, in the last 7 days' })
  assert.match(await chart.innerText(), /\$0\.00\d+[\s\S]*\$0\.00\d+/)
  await page.getByRole('button', { name: 'Tokens', exact: true }).click()
  const tokens = page.getByRole('table', { name: 'Tokens, spent and saved, in the last 7 days' })
  assert.match(await tokens.innerText(), new RegExp(`\\s${told.total_tokens}\\s+${told.saved_tokens}\\s*$`))
  const rows = page.locator('table.usage-rows tbody tr')
  for (const [dimension, first, count] of [
    ['Model', 'gpt-4o', 2],
    ['Tag', DANGEROUS, 2],
    ['Tool', 'curl', 1],
    ['Provider', 'openai', 1],
  ] as const) {
    await page.getByRole('button', { name: dimension, exact: true }).click()
    await page.getByRole('columnheader', { name: dimension, exact: true }).waitFor()
    await rows.first().waitFor()
    assert.ok((await rows.first().innerText()).startsWith(first), await rows.first().innerText())
    assert.is(await rows.count(), count, dimension)
  }
  await page.getByRole('button', { name: 'Vendor key', exact: true }).click()
  await page.getByRole('columnheader', { name: 'Vendor key', exact: true }).waitFor()
  await rows.first().waitFor()
  assert.match(await rows.first().innerText(), /^openai\/\S*…/, 'a key without a label is masked')
  await page.getByRole('button', { name: 'Provider', exact: true }).click()
  await rows.first().waitFor()
  assert.match(await rows.first().innerText(), /openai\s+\$0\.\d+\s+\$0\.\d+\s+3\s+1\s/)
  for (const [period, spoken] of [
    ['Today', 'today'],
    ['30 days', 'in the last 30 days'],
    ['All kept', 'in all that is kept'],
  ] as const) {
    await page.getByRole('button', { name: period, exact: true }).click()
    await page.getByRole('table', { name: `Tokens, spent and saved, ${spoken}` }).waitFor()
  }
  assert.match(page.url(), 'period=all')
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('a request that was refused early and one without a tag have words; a limit tells what is reserved', async () => {
  const upstream = await startUpstream()
  const file = '[quota.openai]\ndaily_cost_limit_usd = 0.005\naction_on_limit = "block"\n'
  const gateway = await startGateway({ upstream, file })
  const body = { model: 'gpt-4o', messages: [{ role: 'user', content: 'one' }] }
  const post = (tags: Record<string, string>) => gateway.post('/v1/chat/completions', body, tags)
  assert.is((await post({ 'x-service-tags': 'nightly' })).status, 429)
  await post({})
  const page = await browser().visit({ url: 'about:blank' })
  await page.route('**/api/admin/usage/breakdown?hours=1', async route => {
    const answer = await (await route.fetch()).json()
    answer.quota_status[0].windows[0].reserved = 0.004
    await route.fulfill({ json: answer })
  })
  await page.goto(`${gateway.url}/dashboard/#/usage`)
  await page.getByRole('row', { name: /^Refused before a vendor was chosen/ }).waitFor()
  const limits = await page.locator('.quotas').innerText()
  assert.match(limits, /\$0\.00 of \$0\.0050? \(0%\), \$0\.0040? reserved/)
  assert.match(limits, 'A call is refused when its estimate does not fit into what is left.')
  await page.getByRole('button', { name: 'Model', exact: true }).click()
  await page.getByRole('row', { name: /gpt-4o Refused before a vendor was chosen/ }).waitFor()
  await page.getByRole('button', { name: 'Tag', exact: true }).click()
  await page.getByText('At least 1 of 2 requests had no tag.').waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('CSV has every digit, and no cell that a table program would run', async () => {
  const page = await browser().visit({ url: `${url()}?by=tag` })
  await page.locator('table.usage-rows').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  assert.match(download.suggestedFilename(), /^usage-by-tag-7-days-\d{4}-\d\d-\d\d\.csv$/)
  const [head, ...lines] = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  assert.match(head ?? '', /^tag,requests_total,.*estimated_cost_usd,/)
  const { rows } = (await of(context.gateway).get('/api/admin/usage/breakdown?hours=168&by=tag')).json
  const dangerous = rows.find(({ tag }: { tag: string }) => tag.startsWith('='))
  const line = lines.find(text => text.includes('HYPERLINK')) ?? ''
  assert.ok(line.startsWith(`"'=HYPERLINK(""http://evil.example""`), line)
  assert.ok(line.includes(`,${dangerous.estimated_cost_usd},`), line)
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

for (const [width, first, second] of [
  [1440, 'light', 'dark'],
  [390, 'dark', 'light'],
] as const)
  test(`at ${width} px, in the light and in the dark, usage has no barrier, and fits`, async () => {
    const page = await browser().visit({ url: url(), width, scheme: first })
    await page.locator('table.usage-rows').waitFor()
    await page.locator('.quota').first().waitFor()
    for (const scheme of [first, second]) {
      await page.emulateMedia({ colorScheme: scheme })
      assert.equal(await browser().barriers(page), [], scheme)
    }
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await page.getByRole('button', { name: 'Tag', exact: true }).click()
    await page.getByRole('row', { name: /HYPERLINK/ }).waitFor()
    const money = page.locator('.usage-rows').getByRole('columnheader', { name: /^(Spent|Saved)$/ })
    for (const { x, width: wide } of await boxes(money))
      assert.ok(x + wide <= width, 'who spent most is seen without scrolling')
    await page.context().close()
    assert.equal(browser().complaints(), [])
  })

async function boxes(of: Locator): Promise<readonly { readonly x: number; readonly width: number }[]> {
  const found = await Promise.all((await of.all()).map(one => one.boundingBox()))
  assert.ok(found.length > 0)
  return found.map(box => box ?? { x: Number.POSITIVE_INFINITY, width: 0 })
}

test.run()
