import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startBrowser } from '../../test/support/browser.ts'
import { root } from '../../test/support/markdown.ts'
import { seededGateway } from '../../test/support/seeded-gateway.ts'

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
  const { url } = await seededGateway()
  const browser = await startBrowser()
  for (const { name, width, scheme } of SIZES) {
    const page = await browser.visit({ url: `${url}/dashboard/`, width, scheme })
    for (const tab of TABS) {
      await page.goto(`${url}/dashboard/#/${tab}`)
      await page.waitForSelector('main h1')
      await page.waitForLoadState('load')
      await page.waitForFunction('!document.querySelector(".skeleton")')
      await page.waitForTimeout(1200)
      await page.screenshot({ path: join(folder, `${tab}-${name}.png`) })
    }
    await page.context().close()
  }
  assert.equal(browser.complaints(), [])
})

test.run()
