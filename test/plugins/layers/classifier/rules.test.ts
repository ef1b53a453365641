import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { compiledRules, routeOf, ruleFor, targetOf, targetText } from '../../../../plugins/layers/classifier/rules.ts'

const names = (rules: readonly { readonly name: string }[]): string[] => rules.map(({ name }) => name)

test('explicit rules come first, then cells from the most specific on, those of one rank as in the file', () => {
  const matrix = {
    default: { default: 'a', review: 'b' },
    simple: { default: 'c', review: 'd' },
    complex: { review: 'e', default: 'f' },
  }
  assert.equal(names(compiledRules([{ provider: 'x' }, { name: 'own', model: 'y' }], matrix)), [
    'rule 1',
    'own',
    'matrix simple/review',
    'matrix complex/review',
    'matrix simple/default',
    'matrix complex/default',
    'matrix default/review',
    'matrix default/default',
  ])
})

test('the first rule whose labels all fit counts', () => {
  const rules = compiledRules(
    [
      { name: 'one', task_type: 'review', persona: 'analyst', provider: 'x' },
      { name: 'two', task_type: 'review', provider: 'y' },
    ],
    { default: { default: 'z' } },
  )
  assert.is(ruleFor(rules, { task_type: 'review', persona: 'developer' })?.name, 'two')
  assert.is(ruleFor(rules, { task_type: 'review', persona: 'analyst' })?.name, 'one')
  assert.is(ruleFor(rules, { task_type: 'planning' })?.name, 'matrix default/default')
  assert.is(ruleFor(rules.slice(0, 1), { task_type: 'planning' }), undefined)
})

test('a target is a provider, or one with a model whose name may hold slashes', () => {
  for (const text of ['groq', 'groq/llama', 'groq/meta/llama', 'local']) assert.is(targetText(targetOf(text)), text)
  assert.equal(targetOf('groq/meta/llama'), { provider: 'groq', model: 'meta/llama' })
})

test('a model with a provider in front of it is asked of that provider by its own name', () => {
  const before = { provider: 'main', model: 'm' }
  const rule = (model: string) => ({ name: 'own', when: {}, target: { model } })
  const named = () => ({ provider: 'groq', model: 'llama', named: true as const })
  assert.equal(routeOf(rule('groq/llama'), before, named), { provider: 'groq', model: 'llama' })
  assert.equal(
    routeOf(rule('llama'), before, () => undefined),
    { model: 'llama' },
  )
})

test.run()
