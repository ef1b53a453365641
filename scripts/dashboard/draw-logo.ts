import { readFileSync } from 'node:fs'
import { chromium } from 'playwright-core'

/** Draws `logo.png` from `logo.svg`, by the browser of the tests. */
const folder = new URL('../../ui-web/', import.meta.url)
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 64, height: 64 }, deviceScaleFactor: 2 })
await page.setContent(
  `<style>body{margin:0}svg{display:block}</style>${readFileSync(new URL('logo.svg', folder), 'utf8')}`,
)
const path = new URL('public/logo.png', folder).pathname
await page.screenshot({ path, omitBackground: true })
await browser.close()
