import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startBrowser } from '../../test/support/browser.ts'
import { root } from '../../test/support/markdown.ts'
import { seededGateway, traffic } from './seeded-gateway.ts'

/** Writes a picture of each tab, wide and narrow, light and dark, of a gateway that has had a week of traffic. */
const TABS = ['overview', 'providers', 'usage', 'requests', 'configuration']
const SIZES = [
  { name: 'wide', width: 1440, scheme: 'light' },
  { name: 'narrow', width: 390, scheme: 'dark' },
] as const

// A test of the runner, so that all it opens is closed.
test('pictures of every tab', async () => {
  const folder = join(root, 'docs/dashboard')
  mkdirSync(folder, { recursive: true })
  const gateway = await seededGateway()
  const browser = await startBrowser()
  const url = `${gateway.url}/dashboard/`
  for (const { name, width, scheme } of SIZES) {
    const page = await browser.visit({ url, width, scheme })
    for (const tab of TABS) {
      await page.goto(`${url}#/${tab}`)
      await page.waitForSelector('main h1')
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      // The feed tells of what ends while the page is open.
      await traffic(gateway, 13)
      await page.waitForTimeout(1200)
      await page.screenshot({ path: join(folder, `${tab}-${name}.png`) })
    }
    await page.context().close()
  }
  assert.equal(browser.complaints(), [])
})

test.run()
