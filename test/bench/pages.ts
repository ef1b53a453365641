import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { sampleEvent } from '../plugins/observers/usage/sample.ts'
import { promptBody } from './bodies.ts'
import { median } from './cost.ts'
import type { Gateway } from './gateway.ts'
import { load } from './load.ts'

const ENTRIES = 10_000
const DAYS = 30
const EVENTS_A_DAY = 1000
const DAY_MS = 86_400_000

/** Books of the days before today. */
export function writeBooks(folder: string): void {
  const today = Math.floor(Date.now() / DAY_MS)
  for (let day = today - DAYS; day < today; day++) {
    const lines = Array.from({ length: EVENTS_A_DAY }, (_, n) => {
      const deflected = n % 3 !== 0
      const named = { provider: `vendor-${n % 3}`, model: `model-${n % 8}`, principal: `team-${n % 6}` }
      const saved = deflected && { final_layer: n % 2 === 0 ? 'l1a' : 'l1b', saved_cost_usd: 0.01, saved_tokens: 900 }
      const at = day * DAY_MS + (n / EVENTS_A_DAY) * DAY_MS
      return JSON.stringify(sampleEvent(`${day}-${n}`, at, { ...named, deflected, tags: [`tag-${n % 4}`], ...saved }))
    })
    const date = new Date(day * DAY_MS).toISOString().slice(0, 10)
    writeFileSync(join(folder, `usage.${date}.jsonl`), `${lines.join('\n')}\n`)
  }
}

/** Sends as many requests as the page shows; most of them are hits. */
export async function fillLog({ port }: Gateway): Promise<void> {
  let sent = 0
  const body = (): string | undefined => (sent++ < ENTRIES ? promptBody(200, sent % 500) : undefined)
  await load({ port, path: '/v1/chat/completions', connections: 4, ms: 120_000, body })
}

/** Milliseconds until `isThere` holds in a page that is opened anew. */
async function opens(page: Page, address: string, isThere: string): Promise<number> {
  await page.goto('about:blank')
  await page.goto(address, { waitUntil: 'commit' })
  return Number(
    await page.evaluate(`new Promise(resolve => {
    const look = () => (${isThere}) ? resolve(performance.now()) : requestAnimationFrame(look)
    look()
  })`),
  )
}

/** The longest time between two frames, and the longest task, while the log is scrolled from end to end; milliseconds. */
async function scrolls(page: Page): Promise<{ readonly frame: number; readonly task: number }> {
  const found: unknown = await page.evaluate(`new Promise(resolve => {
    const tasks = [0]
    const observer = new PerformanceObserver(list => tasks.push(...list.getEntries().map(({ duration }) => duration)))
    observer.observe({ entryTypes: ['longtask'] })
    const gaps = []
    const height = document.documentElement.scrollHeight
    let frames = 0
    const step = before => now => {
      gaps.push(now - before)
      window.scrollTo(0, (frames++ / 300) * height)
      if (frames < 300) requestAnimationFrame(step(now))
      else setTimeout(() => resolve([Math.max(...gaps.slice(1)), Math.max(...tasks)]), 100)
    }
    requestAnimationFrame(now => requestAnimationFrame(step(now)))
  })`)
  const [frame = Number.NaN, task = Number.NaN] = Array.isArray(found) ? found.map(Number) : []
  return { frame, task }
}

/** How fast the log and the books are on the screen, `rounds` times: a table. */
export async function inBrowser({ url }: Gateway, rounds: number): Promise<void> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    const log = `document.querySelector('.log-count')?.textContent.startsWith('${ENTRIES.toLocaleString('en-US')} ')`
    const usage = `document.querySelector('canvas') && document.querySelectorAll('table tr').length > 8 &&
      !document.querySelector('[aria-busy="true"]')`
    const found: [string, number[]][] = [
      [`${ENTRIES} requests in the log`, []],
      [`${DAYS} days of usage`, []],
      ['scrolling the log: longest frame', []],
      ['scrolling the log: longest task (0: none over 50 ms)', []],
    ]
    for (let round = 0; round < rounds; round++) {
      found[0]?.[1].push(await opens(page, `${url}/dashboard/#/requests`, log))
      const { frame, task } = await scrolls(page)
      found[2]?.[1].push(frame)
      found[3]?.[1].push(task)
      found[1]?.[1].push(await opens(page, `${url}/dashboard/#/usage?period=month`, usage))
    }
    console.log(`\n| in the browser | median ms of ${rounds} | each |\n|---|---|---|`)
    for (const [name, values] of found)
      console.log(`| ${name} | ${median(values).toFixed(0)} | ${values.map(value => value.toFixed(0)).join(' ')} |`)
  } finally {
    await browser.close()
  }
}
