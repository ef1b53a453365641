import axe from 'axe-core'
import { chromium, type Page } from 'playwright-core'
import { z } from 'zod'
import { buildDashboard } from './dashboard.ts'
import { needs } from './needs.ts'
import { opened } from './opened.ts'

needs('chromium')

interface Visit {
  readonly url: string
  readonly width?: number
  readonly scheme?: 'light' | 'dark'
}

export interface Browser {
  /** A page of a visitor of its own. */
  visit(visit: Visit): Promise<Page>
  /** Barriers that axe-core finds on a page: against WCAG 2.1 AA, and its own best practices. */
  barriers(page: Page): Promise<string[]>
  /** What pages have said of errors and of the policy since the last look. */
  complaints(): string[]
}

const findings = z.object({
  violations: z.array(z.object({ id: z.string(), help: z.string(), nodes: z.array(z.object({ html: z.string() })) })),
})

/** The real browser. What a page writes to its console as an error or a warning is a complaint. */
export async function startBrowser(): Promise<Browser> {
  buildDashboard()
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  opened(() => browser.close())
  const said: string[] = []
  return {
    async visit({ url, width = 1440, scheme = 'light' }) {
      const viewport = { width, height: width < 600 ? 844 : 900 }
      const context = await browser.newContext({ viewport, colorScheme: scheme, locale: 'en-US', timezoneId: 'UTC' })
      const page = await context.newPage()
      page.setDefaultTimeout(15_000)
      page.on('console', message => {
        if (['error', 'warning'].includes(message.type())) said.push(`${message.text()} at ${message.location().url}`)
      })
      page.on('pageerror', error => said.push(String(error)))
      // Time passes as ever, and can be moved on: `page.clock.fastForward`.
      await page.clock.install()
      await page.goto(url)
      return page
    },
    async barriers(page) {
      // A button that fades into its colour is judged by the colour.
      await page.evaluate(`Promise.all(document.getAnimations()
        .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
        .map(({ finished }) => finished.catch(() => {})))`)
      // The protocol of the browser is not bound to the policy of the page.
      await page.evaluate(axe.source)
      const { violations } = findings.parse(await page.evaluate('axe.run()'))
      return violations.flatMap(({ id, help, nodes }) => nodes.map(({ html }) => `${id}: ${help}: ${html}`))
    },
    complaints: () => said.splice(0),
  }
}
