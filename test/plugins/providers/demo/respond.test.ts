import type { Chat } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { FACTS, findFact } from '../../../../plugins/providers/demo/facts.ts'
import { respond } from '../../../../plugins/providers/demo/respond.ts'

const chat = (text: string, more: Partial<Chat> = {}): Chat => ({
  system: [],
  turns: [{ role: 'user', blocks: [{ type: 'text', text }] }],
  tools: [],
  sampling: {},
  ...more,
})

const say = (text: string, more: Partial<Chat> = {}): string => {
  const [block] = respond(chat(text, more))
  return block?.type === 'text' ? block.text : `(${block?.type})`
}

for (const [asked, expected] of [
  ['what is 17 * 23', '17 * 23 = 391'],
  ['What is 17 times 23?', '17 * 23 = 391'],
  ['(2 + 3) * 4 please', '( 2 + 3 ) * 4 = 20'],
  ['what is 2 to the power of 10', '2 ^ 10 = 1024'],
  ['0.1 + 0.2', '0.1 + 0.2 = 0.3'],
  ['how much is 1,000 minus 1', '1000 - 1 = 999'],
  ['10 divided by 4', '10 / 4 = 2.5'],
  ['2 + 3 * 4', '2 + 3 * 4 = 14'],
  ['10 - 4 - 3', '10 - 4 - 3 = 3'],
] as const) {
  test(`works out: ${asked}`, () => assert.is(say(asked), expected))
}

test('nothing is divided by zero', () => assert.match(say('what is 1 / 0'), 'no value'))

for (const asked of ['what happened on 2024-05-06', 'is version 1.2.3 out', 'call me at 9', 'chapter 3']) {
  test(`sees no sum in: ${asked}`, () => assert.match(say(asked), 'demo provider'))
}

test('greets', () => assert.match(say('Hello there'), 'Hello!'))

test('knows about 25 topics, and finds each by its own first cue', () => {
  assert.ok(FACTS.length >= 25)
  for (const fact of FACTS) assert.is(findFact(`please explain ${fact.cues[0]}`)?.topic, fact.topic)
})

for (const [asked, topic] of [
  ['How do I undo the last commit in git?', 'undoing a git commit'],
  ['what does a 429 mean', 'rate limits'],
  ['Explain ETags.', 'ETags'],
  ['difference between rebase and merge', 'git rebase and merge'],
  ['what is a digit', undefined],
] as const) {
  test(`for "${asked}" turns to ${topic ?? 'nothing'}`, () => assert.is(findFact(asked)?.topic, topic))
}

test('says honestly what it is when it does not know', () => {
  const said = say('write a sonnet about quokkas')
  assert.match(said, 'demo provider')
  assert.match(said, 'quokkas')
})

const weather = {
  name: 'get_weather',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['celsius', 'fahrenheit'] } },
    required: ['city', 'days', 'unit'],
  },
}

test('calls a tool that the prompt names, with arguments from its words', () => {
  const [block] = respond(chat('Please use get_weather for Buenos Aires, 3 days, in fahrenheit', { tools: [weather] }))
  assert.is(block?.type, 'tool_call')
  if (block?.type !== 'tool_call') return
  assert.is(block.name, 'get_weather')
  assert.equal(JSON.parse(block.args), { city: 'Buenos Aires', days: 3, unit: 'fahrenheit' })
})

test('calls no tool that nobody asked for', () => {
  assert.match(say('hello', { tools: [weather] }), 'Hello!')
  assert.match(say('I read a book', { tools: [{ name: 'read' }] }), 'demo provider')
  assert.is(say('call read now', { tools: [{ name: 'read' }] }), '(tool_call)')
})

test('calls a tool when it must, and none when it may not', () => {
  assert.is(say('hello', { tools: [weather], toolChoice: { mode: 'any' } }), '(tool_call)')
  assert.match(say('use get_weather', { tools: [weather], toolChoice: { mode: 'none' } }), 'demo provider')
})

test('repeats what a tool answered', () => {
  const turns: Chat['turns'] = [
    { role: 'user', blocks: [{ type: 'text', text: 'use get_weather' }] },
    {
      role: 'user',
      blocks: [{ type: 'tool_result', id: 'c', isError: false, blocks: [{ type: 'text', text: '21 degrees' }] }],
    },
  ]
  assert.match(say('', { turns, tools: [weather] }), '21 degrees')
})

test('keeps to a schema', () => {
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } },
  }
  const value = JSON.parse(say('name: Ada', { responseFormat: { type: 'schema', schema } }))
  assert.is(value.name, 'Ada')
  assert.ok(Array.isArray(value.tags))
  assert.is(JSON.parse(say('what is 1 + 1', { responseFormat: { type: 'json' } })).answer, '1 + 1 = 2')
})

test.run()
