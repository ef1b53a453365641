import { lastTurn } from 'deflector/formats/last-turn'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const message = (role: string, content: unknown) => ({ role, content })

test('takes the last text out of a body of every dialect', () => {
  for (const [body, rest] of [
    [
      { prompt: 'hi', model: 'm' },
      { prompt: '', model: 'm' },
    ],
    [
      { messages: [message('system', 's'), message('user', 'hi')] },
      { messages: [message('system', 's'), message('user', '')] },
    ],
    [{ messages: [message('user', [{ type: 'text', text: 'hi' }])] }, { messages: [message('user', '')] }],
    [{ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }, { contents: [{ role: 'user', parts: '' }] }],
    [
      { input: 'hi', instructions: 'i' },
      { input: '', instructions: 'i' },
    ],
    [{ input: [message('user', [{ type: 'input_text', text: 'hi' }])] }, { input: [message('user', '')] }],
  ] as const)
    assert.equal(lastTurn(body), { text: 'hi', rest })
})

test('leaves alone what is more than one plain text of a user', () => {
  for (const body of [
    {},
    { messages: [] },
    { messages: [message('user', 'a'), message('assistant', 'b')] },
    {
      messages: [
        message('user', [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ]),
      ],
    },
    { messages: [message('user', [{ type: 'image_url', image_url: {} }])] },
    { messages: [message('user', [{ type: 'text', text: 'a', citations: {} }])] },
    { messages: [message('tool', 'a')] },
    { input: [{ type: 'function_call_output', output: 'a' }] },
    { prompt: 'a', messages: [message('user', 'b')] },
    { prompt: ['a'] },
  ])
    assert.is(lastTurn(body), undefined)
})

test.run()
