import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Browser, startBrowser } from '../support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const context: { browser?: Browser } = {}
test.before(async () => {
  context.browser = await startBrowser()
})

const browser = (): Browser => {
  if (!context.browser) throw new Error('the browser is not started')
  return context.browser
}

test('a provider is added, tested, moved, edited and removed, and the settings file says so', async () => {
  const upstream = await startUpstream()
  const file = `[[fallback_providers]]\nname = "first"\nprovider = "openai"\nurl = "${upstream.url}"\napi_key = "sk-first-0123456789"\n`
  const gateway = await startGateway({ upstream, file })
  const saved = (): string => readFileSync(join(gateway.folder, 'service.toml'), 'utf8')
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/providers` })
  const names = async (): Promise<string[]> =>
    (await page.locator('.chain tbody th').allInnerTexts()).map(text => text.split(/\s/)[0] ?? '')

  await page.getByRole('button', { name: 'Add a provider' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Vendor').fill('openai')
  await dialog.getByLabel('Name').fill('second')
  await dialog.getByLabel('Address').fill('no address')
  await dialog.getByLabel('API key').fill('sk-second-0123456789')
  assert.equal(await browser().barriers(page), [])
  await dialog.getByRole('button', { name: 'Add' }).click()
  await dialog.getByText(/url/).waitFor()
  await dialog.getByLabel('Address').fill(upstream.url)
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByText('Saved to service.toml').waitFor()
  await page.getByRole('button', { name: 'Test second' }).waitFor()
  assert.equal(await names(), ['openai', 'first', 'second'])
  assert.match(saved(), 'name = "second"')
  assert.not.match(await page.content(), 'sk-second-0123456789')

  await page.getByRole('button', { name: 'Test second' }).click()
  await page.getByText(/Test: reached in .* status 200, the key sk…89 is accepted/).waitFor()

  assert.ok(await page.getByRole('button', { name: 'Move first up' }).isDisabled())
  await page.getByText('To ask this vendor first, edit openai and give it this vendor, address and key.').waitFor()
  assert.is(await page.getByText('It cannot move before the primary').count(), 1)

  await page.getByRole('button', { name: 'Move second up' }).click()
  await until('it has moved', async () => (await names())[1] === 'second')
  assert.ok(saved().indexOf('"second"') < saved().indexOf('"first"'))

  await page.getByRole('button', { name: 'Edit second' }).click()
  assert.is(await dialog.getByLabel('API key').inputValue(), 'sk…89')
  await dialog.getByLabel('Model').fill('gpt-4o-mini')
  await dialog.getByText('More').click()
  await dialog.getByLabel('Weight').fill('2')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('gpt-4o-mini · 127.0.0.1').waitFor()
  assert.match(saved(), /weight = 2/)
  assert.match(saved(), 'sk-second-0123456789')

  await page.getByRole('button', { name: 'Remove second' }).click()
  await dialog.getByRole('button', { name: 'Remove second' }).click()
  await page.getByRole('button', { name: 'Test second' }).waitFor({ state: 'detached' })
  assert.equal(await names(), ['openai', 'first'])
  assert.not.match(saved(), '"second"')
  await page.context().close()
  // The browser itself tells of the refused address.
  assert.equal(
    browser()
      .complaints()
      .filter(text => !/status of 400/.test(text)),
    [],
  )
})

test('a key that cools down counts down, and a vendor that fails says why', async () => {
  const upstream = await startUpstream()
  const gateway = await startGateway({ upstream })
  upstream.script({ status: 429, headers: { 'retry-after': '50' } }, { status: 429, headers: { 'retry-after': '50' } })
  const body = { model: 'stub-model', messages: [{ role: 'user', content: 'What is a heron?' }] }
  await gateway.post('/v1/chat/completions', body)
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/providers` })
  await page.getByText(/cooling down, \d+ s left, until \d\d:\d\d:\d\d/).waitFor()
  await page.getByText(/Last error/).waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('a test of a provider with several keys says how each of them is', async () => {
  const upstream = await startUpstream()
  const keys = ['sk-alpha-0123456789-aa', 'sk-beta-0123456789-bb'].map(key => `{ key = "${key}" }`).join(', ')
  const file = `[[fallback_providers]]\nname = "pool"\nprovider = "openai"\nurl = "${upstream.url}"\nprovider_keys = [${keys}]\n`
  const gateway = await startGateway({ upstream, file })
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/providers` })
  await page.getByRole('button', { name: 'Test pool' }).click()
  await page.getByText(/status 200, the keys are accepted/).waitFor()
  for (const key of ['sk…aa', 'sk…bb']) await page.getByText(`${key} accepted, status 200`).waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('a chain that a variable sets is shown, and not changed from here', async () => {
  const upstream = await startUpstream()
  const fallbacks = JSON.stringify([{ provider: 'openai', name: 'fixed', url: upstream.url, api_key: 'k' }])
  const gateway = await startGateway({ upstream, settings: { SERVICE__FALLBACK_PROVIDERS: fallbacks } })
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/providers` })
  await page.getByText(/SERVICE__FALLBACK_PROVIDERS says what the chain is/).waitFor()
  assert.is(await page.getByRole('button', { name: 'Add a provider' }).count(), 0)
  await page.getByRole('button', { name: 'Test fixed' }).waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test.run()
