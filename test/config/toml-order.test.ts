import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { SettingsError } from '../../config/load.ts'
import { editToml } from '../../config/toml-edit.ts'
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
  for (const end of ['\r\n', ''])
    assert.is(
      ordered(`[model_routes]\r\n# one\r\na = "x"\r\nb = "y"${end}`, 'b', 'a'),
      `[model_routes]\r\nb = "y"\r\n# one\r\na = "x"${end}`,
    )
})

test('a table in braces and one of keys with dots are put in order, too', () => {
  assert.is(
    ordered('x = "😀"\nmodel_routes = { "a*" = "é", b = "y" , c="z"} # by name\n', 'c', 'a*', 'b'),
    'x = "😀"\nmodel_routes = { c="z", "a*" = "é" , b = "y"} # by name\n',
  )
  assert.is(
    ordered('model_routes.a = "x" # one\nport = 1\n# two\nmodel_routes."b*" = "y"\n', 'b*', 'a'),
    '# two\nmodel_routes."b*" = "y"\nport = 1\nmodel_routes.a = "x" # one\n',
  )
})

test('a route in the middle of a table in braces gets another name and keeps its place', () => {
  const edited = editToml('model_routes = { a = "1", b = "2", c = "3" }\n', 'service.toml', [
    { path: ['model_routes', 'b'], value: undefined },
    { path: ['model_routes', 'x'], value: '2' },
  ])
  assert.is(ordered(edited, 'a', 'x', 'c'), 'model_routes = { a = "1", x = "2", c = "3" }\n')
})

test('an order that cannot be written is refused by the name of the table, without a value of the file', () => {
  // Of a number and a name, the number is always first when the file is read.
  for (const table of ['[model_routes.a]\nx = "k"\n[model_routes.b]\nx = "l"\n', '[model_routes]\n7 = "k"\nb = "l"\n'])
    assert.throws(
      () => ordered(table, 'b', table.includes('7') ? '7' : 'a'),
      (error: unknown) =>
        error instanceof SettingsError &&
        error.problems.join() === 'service.toml: model_routes cannot be put in another order; edit it yourself',
    )
})

test.run()
