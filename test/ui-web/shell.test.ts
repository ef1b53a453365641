import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Browser, startBrowser } from '../support/browser.ts'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

const KEY = 'key-of-the-gateway'
const TABS = ['Overview', 'Providers', 'Usage', 'Request log', 'Configuration']

const context: { browser?: Browser; open?: string; keyed?: string } = {}
test.before(async () => {
  const upstream = await startUpstream()
  context.browser = await startBrowser()
  context.open = `${(await startGateway({ upstream })).url}/dashboard/`
  context.keyed = `${(await startGateway({ upstream, settings: { SERVICE__GATEWAY_API_KEY: KEY } })).url}/dashboard/`
})

const browser = (): Browser => {
  if (!context.browser) throw new Error('the browser is not started')
  return context.browser
}

test('without keys the dashboard opens at once, and each tab has its own address', async () => {
  const page = await browser().visit({ url: context.open ?? '' })
  for (const tab of TABS) {
    await page.getByRole('link', { name: tab, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: tab }).waitFor()
    assert.is(await page.title(), `${tab} · deflector`)
  }
  // By keyboard: past the tabs at once, and to a tab.
  await page.reload()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  assert.is(await page.evaluate('document.activeElement.id'), 'content')
  await page.getByRole('link', { name: 'Usage' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor()
  await page.goBack()
  const address = page.url()
  assert.match(address, /#\/configuration$/)
  await page.goBack()
  await page.getByRole('heading', { level: 1, name: 'Request log' }).waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('with keys it asks for one, takes the right one, sends it in X-API-Key alone, and forgets it', async () => {
  const page = await browser().visit({ url: context.keyed ?? '' })
  const sent: string[] = []
  page.on('request', request => {
    const { authorization, 'x-api-key': key, cookie } = request.headers()
    assert.equal([authorization, cookie], [undefined, undefined])
    assert.not.match(request.url(), KEY)
    if (key !== undefined) sent.push(key)
  })
  const field = page.getByLabel('Gateway key')
  await field.fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('does not know this key').waitFor()
  await field.fill(KEY)
  await field.press('Enter')
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByText('Send a test request').waitFor()
  assert.equal([...new Set(sent)], ['wrong', KEY])
  assert.equal(await page.evaluate('[{ ...sessionStorage }, { ...localStorage }]'), [{ 'deflector-key': KEY }, {}])
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('You have signed out').waitFor()
  assert.equal(await page.evaluate('({ ...sessionStorage })'), {})
  await page.context().close()
  // The browser itself tells of each 401.
  const others = browser()
    .complaints()
    .filter(text => !/status of 401/.test(text))
  assert.equal(others, [])
})

test.run()
