import * as fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { hasOpenFence } from '../../../../plugins/layers/slm/fences.ts'
import { faultOf } from '../../../../plugins/layers/slm/guard.ts'

const fault = (text: string, json = false): string | undefined => faultOf({ text, finish: 'stop' }, { json })

const PHRASES = [
  "i don't know",
  "i'm not sure",
  'i am not sure',
  'i cannot',
  "i can't",
  'as an ai',
  'i am unable',
  "i'm unable",
  'sorry, i',
]

/** The same text with each letter in either case, and each apostrophe straight or curly. */
const spelled = (text: string) =>
  fc
    .tuple(...[...text].map(sign => (sign === "'" ? fc.constantFrom("'", '\u2019', '\u2018') : caseOf(sign))))
    .map(signs => signs.join(''))
const caseOf = (sign: string) => fc.constantFrom(sign, sign.toUpperCase())

test('no answer passes that begins with doubt, however it is spelled', () => {
  const space = fc.stringMatching(/^[ \n\t]{0,5}$/)
  fc.assert(
    fc.property(
      space,
      fc.constantFrom(...PHRASES).chain(spelled),
      fc.string({ minLength: 10 }),
      (before, phrase, rest) => {
        assert.is(fault(`${before}${phrase}, ${rest}`), 'uncertain')
      },
    ),
  )
})

test('an answer that holds such words later passes', () => {
  for (const phrase of PHRASES) assert.is(fault(`The error says "${phrase}" at the end.`), undefined)
  assert.is(fault('Icannot is no word, and this is an answer.'), undefined)
})

test('no answer of fewer than ten characters passes, spaces around it not counted', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 9, unit: 'grapheme' }), text => {
      if ([...text.trim()].length < 10) assert.is(fault(`\n ${text} \n`), 'short')
    }),
  )
  assert.is(fault('seven more'), undefined)
  assert.is(fault('seven mor'), 'short')
  assert.is(fault('🙂🙂🙂🙂🙂'), 'short')
})

test('no answer passes that was cut off at the limit of tokens', () => {
  fc.assert(
    fc.property(fc.string(), fc.boolean(), (text, json) => {
      assert.is(faultOf({ text, finish: 'length' }, { json }), 'cut_off')
    }),
  )
})

test('reasoning that a server left in the answer is no answer', () => {
  assert.is(fault('<think>\nThey want a function.\n</think>\nHere it is.'), 'reasoning')
})

test('where JSON was asked for, all but one object is rejected', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), object => {
      const text = JSON.stringify(object, undefined, 2)
      const short = [...text].length < 10
      assert.is(fault(`\n${text}\n`, true), short ? 'short' : undefined)
      if (!short) {
        assert.is(fault(`Sure: ${text}`, true), 'not_json')
        assert.is(fault(`${text.slice(0, -1)}`, true), [...text].length < 11 ? 'short' : 'not_json')
      }
    }),
  )
  assert.is(fault('[1, 2, 3, 4, 5]', true), 'not_json')
  assert.is(fault('"a string of JSON"', true), 'not_json')
  assert.is(fault('```json\n{"prime": true}\n```', true), 'not_json')
})

test('where a schema was asked for, the answer has to fit it', () => {
  const schema = { type: 'array', items: { type: 'string' } }
  const given = (text: string): string | undefined => faultOf({ text, finish: 'stop' }, { json: true, schema })
  assert.is(given('["a", "b", "c"]'), undefined)
  assert.is(given('["a", "b", 3, 4]'), 'not_json')
  assert.is(given('{"a": "b", "c": 1}'), 'not_json')
})

test('a fence is closed by one of its kind that is as long, and by nothing else', () => {
  const line = fc.constantFrom(
    '```',
    '````',
    '~~~',
    '~~~~~',
    '```js',
    '   ```',
    '    ```',
    'text',
    '`code`',
    '',
    '``` ``',
  )
  fc.assert(
    fc.property(fc.array(line), lines => {
      const text = lines.join('\n')
      // What is open is closed by a longer fence of either kind, and only then.
      const closed = [`${text}\n${'`'.repeat(9)}`, `${text}\n${'~'.repeat(9)}`].filter(one => !hasOpenFence(one))
      assert.is(closed.length, hasOpenFence(text) ? 1 : 0)
    }),
  )
})

test('a code block of a list or a quotation needs its end as well', () => {
  const blocks: readonly (readonly [string, string])[] = [
    ['- ```js\n  const a = 1\n', '  ```'],
    ['* Then:\n\n  ~~~\n  const a = 1\n', '  ~~~'],
    ['1. ```js\n   const a = 1\n', '   ```'],
    ['10. Then:\n\n    ```js\n    const a = 1\n', '    ```'],
    ['- One\n    - Two:\n      ```js\n      const a = 1\n', '      ```'],
    ['1. - ```js\n     const a = 1\n', '     ```'],
    ['-\t```js\n\tconst a = 1\n', '\t```'],
    ['> ```js\n> const a = 1\n', '> ```'],
    ['> - Then:\n>   ```js\n>   const a = 1\n', '>   ```'],
    ['10. Then:\n    ```js\nconst a = 1\n', '```'],
  ]
  for (const [text, end] of blocks) {
    assert.is(fault(text), 'open_fence', text)
    assert.is(fault(`${text}\nAnd so on.`), 'open_fence', text)
    assert.is(fault(text + end), undefined, text)
    assert.is(fault(`${text}${end}\n\nAnd so on:\n\n\`\`\`\n7\n\`\`\``), undefined, text)
  }
})

test('what only looks like a fence opens and closes nothing', () => {
  assert.is(fault('Four spaces make it code:\n\n    ```\n'), undefined)
  assert.is(fault('- One\n\n  Two\n\n        ```\n'), undefined)
  assert.is(fault('- One\n\nThe list is over:\n\n      ```\n'), undefined)
  assert.is(fault('```md\n- ```\n> ```\n'), 'open_fence')
  assert.is(fault('```md\n- ```\n> ```\n```\n'), undefined)
  assert.is(fault('- - -\n\n      ```\n'), undefined)
})

test('an answer with a code block passes only with its end', () => {
  assert.is(fault('Here:\n```python\nprint(7)\n```\n'), undefined)
  assert.is(fault('Here:\n```python\nprint(7)\n'), 'open_fence')
  assert.is(fault('Here:\r\n~~~\r\nprint(7)\r\n~~~ \r\n'), undefined)
  assert.is(fault('Here:\n````md\n```js\n7\n```\n'), 'open_fence')
  assert.is(fault('Use ```seven``` in a line of text.'), undefined)
})

test.run()
