import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SettingsError } from '../../config/load.ts'
import { orderToml } from '../../config/toml-order.ts'

const ordered = (text: string, ...names: readonly string[]): string =>
  orderToml(text, 'service.toml', 'model_routes', names)

const FILE = `llm_provider = "openai" # primary

[model_routes] # by name
# the small ones
"claude-*" = "anthropic" # all of them

gemini = "google"
"gpt-4.*" = "openai"
# what follows
[quota.openai]
daily_token_limit = 5
`

test('keys change places with their comments, and nothing else moves', () => {
  assert.is(
    ordered(FILE, 'gpt-4.*', 'claude-*', 'gemini'),
    `llm_provider = "openai" # primary

[model_routes] # by name
"gpt-4.*" = "openai"

# the small ones
"claude-*" = "anthropic" # all of them
gemini = "google"
# what follows
[quota.openai]
daily_token_limit = 5
`,
  )
})

test('an order that is there already, that leaves names out, or that is of other names changes nothing', () => {
  assert.is(ordered(FILE, 'claude-*', 'gemini', 'gpt-4.*'), FILE)
  assert.is(ordered(FILE, 'gemini', 'claude-*'), FILE)
  assert.is(ordered('x = 1\n', 'gemini'), 'x = 1\n')
  assert.is(ordered(FILE, 'of a variable', 'claude-*', 'gemini', 'gpt-4.*'), FILE)
})

test('the last line may lack its end, and lines may end as on Windows', () => {
  assert.is(ordered('[model_routes]\na = "x"\nb = "y"', 'b', 'a'), '[model_routes]\nb = "y"\na = "x"')
  assert.is(ordered('[model_routes]\r\na = "x"\r\nb = "y"\r\n', 'b', 'a'), '[model_routes]\r\nb = "y"\r\na = "x"\r\n')
})

test('a table in another form is left to its owner', () => {
  assert.throws(
    () => ordered('model_routes = { a = "x", b = "y" }\n', 'b', 'a'),
    (error: unknown) => error instanceof SettingsError && /cannot be put in another order/.test(error.problems.join()),
  )
})

test.run()
