import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Browser, startBrowser } from '../support/browser.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { startUpstream } from '../support/upstream.ts'

const KEY = 'key-of-the-gateway'
const FILE = `# our gateway
cache_ttl_secs = 300 # five minutes

# what clients may say
[model_aliases]
fast = "gpt-4o-mini" # cheap
`

const context: { browser?: Browser } = {}
test.before(async () => {
  context.browser = await startBrowser()
})

const browser = (): Browser => {
  if (!context.browser) throw new Error('the browser is not started')
  return context.browser
}

const savedIn = ({ folder }: TestGateway): string => readFileSync(join(folder, 'service.toml'), 'utf8')

async function edit(page: Page, key: string, value: string): Promise<void> {
  await page.getByRole('button', { name: `Edit ${key}`, exact: true }).click()
  await page.getByLabel(key, { exact: true }).fill(value)
}

const hasFocus = async (page: Page, selector: string): Promise<boolean> =>
  Boolean(await page.evaluate(`document.activeElement.matches('${selector}')`))

const review = (page: Page): Promise<void> => page.getByRole('button', { name: 'Review', exact: true }).click()
const apply = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save and apply' }).click()

test('a bad value is refused in its place; a good one is shown as a diff, saved and in effect', async () => {
  const gateway = await startGateway({ file: FILE })
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/configuration` })
  await page.getByLabel('Search settings').fill('how long fresh')
  await page.getByText('1 of ').waitFor()
  await edit(page, 'cache_ttl_secs', '0')
  await page.getByText('cache_ttl_secs must be a whole number, 1 or more, not 0').waitFor()
  const field = page.getByLabel('cache_ttl_secs', { exact: true })
  assert.is(await field.getAttribute('aria-invalid'), 'true')
  assert.ok(await page.getByRole('button', { name: 'Review', exact: true }).isDisabled())
  assert.equal(await browser().barriers(page), [])
  await field.fill('600')

  await page.getByLabel('Search settings').fill('key of the primary')
  await edit(page, 'external_llm_api_key', 'sk-secret-0123456789-wxyz')
  assert.is(await page.getByLabel('external_llm_api_key', { exact: true }).getAttribute('type'), 'password')
  await review(page)
  const diff = page.getByRole('dialog').locator('.diff')
  await diff.waitFor()
  assert.match(await diff.innerText(), '-cache_ttl_secs = 300 # five minutes\n+cache_ttl_secs = 600 # five minutes')
  assert.match(await diff.innerText(), '+external_llm_api_key = "sk-…xyz"')
  const effects = page.getByRole('dialog').locator('.effects li')
  assert.equal(await effects.allInnerTexts(), ['cache_ttl_secs 300 → 600', 'external_llm_api_key'])
  assert.equal(await browser().barriers(page), [])
  await apply(page)
  await page.getByText('Saved to service.toml, and in effect.').waitFor()
  const text = savedIn(gateway)
  assert.match(text, '# our gateway\ncache_ttl_secs = 600 # five minutes\n')
  assert.match(text, '# what clients may say\n[model_aliases]\nfast = "gpt-4o-mini" # cheap')
  assert.match(text, 'external_llm_api_key = "sk-secret-0123456789-wxyz"')
  await page.getByText('sk-…xyz').waitFor()
  // The first that was changed is filtered out by now.
  await until('the words of what was saved have the focus', () => hasFocus(page, '[role=status]'))
  assert.not.match(await page.content(), 'sk-secret')
  assert.is(gateway.gateway.current.around.number, 2)

  await page.getByRole('button', { name: 'Changed' }).click()
  await page.getByLabel('Search settings').fill('server.port')
  await page.getByText('stands over the file').waitFor()
  assert.is(await page.getByRole('button', { name: 'Edit server.port' }).count(), 0)
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('a setting is found by its section, and by a value that it may have', async () => {
  const gateway = await startGateway({ file: FILE })
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/configuration?q=semantic` })
  await page.getByText('cache_mode', { exact: true }).waitFor()
  await page.getByLabel('Search settings').fill('cache_ttl_secs')
  const found = page.locator('section.section', { has: page.getByRole('button', { name: 'Edit cache_ttl_secs' }) })
  const section = await found.getByRole('heading').innerText()
  await page.getByLabel('Search settings').fill(`${section} how long fresh`)
  await page.getByText('1 of ').waitFor()
  await page.getByRole('button', { name: 'Edit cache_ttl_secs' }).waitFor()
  await page.getByLabel('Search settings').fill('no such word')
  await page.getByText('No setting has “no such word” in its name, description, section or values.').waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('an editor of records says which fields they have', async () => {
  const gateway = await startGateway({ file: FILE })
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/configuration?q=quota` })
  await page.getByRole('button', { name: 'Edit quota', exact: true }).click()
  await page.getByText(/Fields of an entry: daily_token_limit, .*action_on_limit \(warn, block, fallback\)\./).waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('a setting that needs a restart says so, and later changes are told apart from it', async () => {
  const gateway = await startGateway({ file: FILE })
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/configuration?q=log_format` })
  await page.getByRole('button', { name: 'Edit log_format' }).click()
  await page.getByText('A change counts from the next start on.').waitFor()
  await page.getByLabel('log_format', { exact: true }).selectOption('json')
  await review(page)
  await page.getByRole('dialog').getByText('From the next start on').waitFor()
  await apply(page)
  await page.getByText('Saved to service.toml; log_format will count from the next start on.').waitFor()
  await page.getByText('From the next start on. Now it is auto.').waitFor()
  await page.getByText('Waiting for the next start: log_format').waitFor()
  await until('the saved row has the focus', () => hasFocus(page, '[aria-label="Edit log_format"]'))

  // Others change the file while somebody types: nothing of both is lost.
  await page.getByLabel('Search settings').fill('cache_stale_secs')
  await edit(page, 'cache_stale_secs', '5')
  writeFileSync(join(gateway.folder, 'service.toml'), savedIn(gateway).replace('300 #', '301 #'))
  await review(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('service.toml was changed by somebody else just now').waitFor()
  await dialog.getByRole('button', { name: 'Read the file again' }).click()
  await dialog.getByText('+cache_stale_secs = 5').waitFor()
  await apply(page)
  await page.getByText('in effect; log_format, changed earlier, still waits for the next start.').waitFor()
  assert.match(savedIn(gateway), 'cache_ttl_secs = 301 # five minutes\n')
  assert.match(savedIn(gateway), 'cache_stale_secs = 5\n')
  await page.context().close()
  // The browser itself tells of the conflict.
  const others = browser()
    .complaints()
    .filter(text => !/status of 409/.test(text))
  assert.equal(others, [])
})

test('with a key, on a narrow and dark screen: rules for models are added and taken out', async () => {
  const gateway = await startGateway({ file: FILE, settings: { SERVICE__GATEWAY_API_KEY: KEY } })
  const url = `${gateway.url}/dashboard/#/configuration?view=models`
  const page = await browser().visit({ url, width: 390, scheme: 'dark' })
  await page.getByLabel('Gateway key').fill(KEY)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: 'Remove fast' }).click()
  await page.getByRole('button', { name: 'Add an alias' }).click()
  await page.getByLabel('Clients ask for, line 1').fill('gpt-4.1')
  await page.getByText('model_aliases.gpt-4.1').waitFor()
  await page.getByLabel('They get, line 1').fill('gpt-4.1-mini')
  await page.getByRole('button', { name: 'Add a route' }).click()
  await page.getByLabel('Model, or pattern, line 1').fill('claude-*')
  assert.is(await page.getByLabel('Provider, line 1').inputValue(), 'openai')
  await page.getByText('2 settings changed', { exact: true }).waitFor()
  assert.equal(await browser().barriers(page), [])
  await review(page)
  await apply(page)
  await page.getByText('Saved to service.toml, and in effect.').waitFor()
  assert.is(
    savedIn(gateway),
    `# our gateway
cache_ttl_secs = 300 # five minutes

# what clients may say
[model_aliases]
"gpt-4.1" = "gpt-4.1-mini"

[model_routes]
"claude-*" = "openai"
`,
  )
  await page.getByRole('button', { name: 'Settings', exact: true }).click()
  await page.getByText('model_routes').waitFor()
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
  await page.getByLabel('Search settings').fill('redis')
  assert.equal(await browser().barriers(page), [])
  await page.context().close()
  const others = browser()
    .complaints()
    .filter(text => !/status of 401/.test(text))
  assert.equal(others, [])
})

test('a route is moved, and is first in the file with its comment, and for the next request', async () => {
  const upstream = await startUpstream()
  const routes = `[[fallback_providers]]
provider = "openai"
name = "spare"
url = "${upstream.url}"
api_key = "sk-spare"

[model_routes]
# all of them
"claude-*" = "openai"
"claude-opus-*" = "spare" # the dear ones
`
  const gateway = await startGateway({ upstream, file: routes })
  const providerOf = async (content: string): Promise<string | null> => {
    const body = { model: 'claude-opus-9', messages: [{ role: 'user', content }] }
    return (await gateway.post('/v1/chat/completions', body)).headers.get('x-service-provider')
  }
  assert.is(await providerOf('before'), 'openai')
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/configuration?view=models` })
  assert.ok(await page.getByRole('button', { name: 'Move claude-* up' }).isDisabled())
  await page.getByRole('button', { name: 'Move claude-opus-* up' }).click()
  assert.is(await page.getByLabel('Model, or pattern, line 1').inputValue(), 'claude-opus-*')
  assert.equal(await browser().barriers(page), [])
  await review(page)
  await page.getByRole('dialog').getByText('At once, by a reload').waitFor()
  await apply(page)
  await page.getByText('Saved to service.toml, and in effect.').waitFor()
  assert.match(
    savedIn(gateway),
    '[model_routes]\n"claude-opus-*" = "spare" # the dear ones\n# all of them\n"claude-*" = "openai"\n',
  )
  assert.is(await page.getByLabel('Model, or pattern, line 1').inputValue(), 'claude-opus-*')
  assert.is(await providerOf('after'), 'spare')
  await page.setViewportSize({ width: 390, height: 844 })
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('rules and the matrix of the classifier are edited in fields, put in order, and saved', async () => {
  const rules = `[[classifier_routing.rules]]
name = "code" # the big one
task_type = "coding"
model = "gpt-4o"
`
  const gateway = await startGateway({ upstream: await startUpstream(), file: rules })
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/configuration?view=models` })
  const list = page.getByRole('region', { name: 'Classifier rules' })
  await page.getByLabel('task type, rule 1').waitFor()
  assert.is(await page.getByLabel('task type, rule 1').inputValue(), 'coding')
  await page.getByRole('button', { name: 'Add a rule' }).click()
  await list.getByText(/needs a provider, a model, or both/).waitFor()
  await page.getByLabel('complexity, rule 2').fill('simple')
  await page.getByLabel('provider, rule 2').selectOption('openai')
  await page.getByRole('button', { name: 'Move rule 2 up' }).click()
  assert.is(await page.getByLabel('complexity, rule 1').inputValue(), 'simple')
  const matrix = page.getByRole('region', { name: 'Classifier matrix' })
  await page.getByLabel('New complexity').fill('complex')
  await page.keyboard.press('Enter')
  await page.getByLabel('New task type').fill('coding')
  await page.keyboard.press('Enter')
  await page.getByLabel('complex, coding').fill('openai/gpt-4o')
  assert.equal(await browser().barriers(page), [])
  await page.setViewportSize({ width: 390, height: 844 })
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'))
  await review(page)
  await page.getByRole('dialog').getByText('At once, by a reload').waitFor()
  await apply(page)
  await page.getByText('Saved to service.toml, and in effect.').waitFor()
  assert.match(savedIn(gateway), /complexity = "simple"[\s\S]*task_type = "coding"/)
  assert.match(savedIn(gateway), /complex[\s\S]*coding = "openai\/gpt-4o"/)
  await matrix.getByLabel('complex, coding').waitFor()
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test('the pipeline is drawn with the requests along its edges, as they come, and stands in tables', async () => {
  const gateway = await startGateway({ upstream: await startUpstream() })
  const ask = (content: string) =>
    gateway.post('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content }] })
  for (const content of ['What is a heron?', 'What is a heron?']) await ask(content)
  const page = await browser().visit({ url: `${gateway.url}/dashboard/#/configuration?view=pipeline&flow=chat` })
  const row = (from: string, to: string) =>
    page
      .getByRole('row')
      .filter({ has: page.getByRole('rowheader', { name: `layer ${from}`, exact: true }) })
      .filter({ hasText: to })
  const table = page.getByRole('table', { name: /^Flow chat/ })
  await table.waitFor({ state: 'attached' })
  const counts = async (from: string, to: string): Promise<string[]> =>
    (await table.locator(row(from, to)).first().getByRole('cell').allInnerTexts()).slice(1)
  assert.equal(await counts('exact-cache', 'layer semantic-cache'), ['1', ''])
  assert.equal(await counts('cloud', 'provider openai'), ['1', '0'])
  const drawn = page.locator('svg.pipeline')
  assert.match(await drawn.innerHTML(), />semantic-cache</)
  assert.equal(await browser().barriers(page), [])
  await ask('What is a crane?')
  await page.clock.fastForward(3000)
  await page.locator('svg.pipeline .moved .count').first().waitFor()
  assert.equal(await counts('exact-cache', 'layer semantic-cache'), ['2', ''])
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByLabel('Flow', { exact: true }).selectOption('')
  await page.locator('svg.pipeline').getByText('admission').waitFor()
  assert.ok(
    await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'),
    'the picture scrolls alone',
  )
  await page.context().close()
  assert.equal(browser().complaints(), [])
})

test.run()
