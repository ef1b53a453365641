import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { inShell } from './command.ts'

const RULES = '# Rules\n<!-- nobody reads this -->\n\n\n\nBe brief.'

/** The same instructions as each client would send them. */
const SHAPES = {
  'chat-completions': {
    model: 'm',
    messages: [
      { role: 'system', content: RULES },
      { role: 'user', content: 'hi' },
    ],
  },
  messages: { model: 'm', max_tokens: 9, system: RULES, messages: [{ role: 'user', content: 'hi' }] },
  responses: { model: 'm', instructions: RULES, input: 'hi' },
  'generate-content': { systemInstruction: { parts: [{ text: RULES }] }, contents: [{ parts: [{ text: 'hi' }] }] },
}

test(
  'shows a diff of each text, and the bytes saved, for each wire shape',
  inShell(async shell => {
    const seen = await Promise.all(
      Object.entries(SHAPES).map(async ([format, body]) => ({
        format,
        ...(await shell.run(['optimise'], {}, JSON.stringify(body))),
      })),
    )
    for (const { format, code, stdout, stderr } of seen) {
      assert.is(code, 0, stderr)
      assert.match(
        stdout,
        /^--- \S+ \(minify\)\n@@ -1,6 \+1,3 @@\n # Rules\n-<!-- nobody reads this -->\n-\n-\n \n Be brief\.\n/,
      )
      assert.match(
        stdout,
        new RegExp(`^${format}: \\d+ bytes would be sent as \\d+, bytes_saved=\\d+, by minify$`, 'm'),
      )
    }
  }),
)

test(
  'takes the format that is named, says when nothing would change, and prints JSON',
  inShell(async shell => {
    const named = await shell.run(['optimise', '--format', 'messages', '--json'], {}, JSON.stringify(SHAPES.messages))
    const { format, bytes_saved, body } = JSON.parse(named.stdout)
    assert.equal([format, body.system], ['messages', '# Rules\n\nBe brief.'])
    assert.ok(bytes_saved > 0)
    const digits = '"seed":12345678901234567890, "temperature":1.0'
    const spelled = JSON.stringify(SHAPES.messages).replace('"max_tokens"', `${digits},"max_tokens"`)
    const exact = await shell.run(['optimise', '--json'], {}, spelled)
    assert.ok(exact.stdout.includes(`"body": {"model":"m",${digits},`), exact.stdout)
    assert.is(JSON.parse(exact.stdout).body.system, '# Rules\n\nBe brief.')
    const cached = { ...SHAPES.messages, cache_control: { type: 'ephemeral' } }
    const kept = await shell.run(['optimise'], {}, JSON.stringify(cached))
    assert.match(kept.stdout, /nothing would change, as the client has its vendor cache its instructions/)
    const talk = await shell.run(['optimise'], {}, '{"prompt": "What is a heron?"}')
    assert.equal(
      [talk.code, talk.stdout],
      [0, 'native: nothing would change, as the request holds no instructions that could be shortened\n'],
    )
  }),
)

test(
  'says what is wrong with what it is given, and ends with code 1',
  inShell(async shell => {
    const bad = {
      'not json': 'the request cannot be read: the body is not JSON',
      '[]': 'the request must be a JSON object',
      '{"a": 1}': 'name its format with --format: native, chat-completions, messages, responses, generate-content',
      '{"messages": []}': 'the request cannot be read: messages: must not be empty',
    }
    for (const [input, wanted] of Object.entries(bad)) {
      const { code, stderr } = await shell.run(['optimise'], {}, input)
      assert.is(code, 1)
      assert.ok(stderr.includes(`deflector: ${wanted}`), stderr)
    }
    const off = await shell.run(['optimise'], { SERVICE__ENABLE_CONTEXT_OPTIMIZER: 'false' }, '{"prompt": "hi"}')
    assert.is(off.code, 1)
    assert.match(off.stderr, 'set enable_context_optimizer = true')
  }),
)

test.run()
