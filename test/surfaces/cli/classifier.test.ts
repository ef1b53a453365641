import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { partOf } from 'deflector/heads'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { root } from '../../support/markdown.ts'
import { inShell, type Shell } from './command.ts'

const DATA = join(root, 'scripts/classifier/routing.jsonl')
const SHIPPED = join(root, 'models/deflector-routing/artifact.json')

test(
  'train makes the shipped artifact again, and prints its figures: over half is routed, and 85 % of that are right',
  inShell(async shell => {
    const { code, stdout, stderr } = await shell.run([
      'classifier',
      'train',
      '--input',
      DATA,
      '--output',
      'made.json',
      '--seed',
      '1',
    ])
    assert.is(code, 0, stderr)
    assert.is(readFileSync(join(shell.cwd, 'made.json'), 'utf8'), readFileSync(SHIPPED, 'utf8'))
    for (const head of ['task_type', 'complexity', 'persona', 'domain'])
      assert.match(stdout, new RegExp(`^${head}: \\d+\\.\\d % right, confidence off by \\d+\\.\\d %$`, 'm'))
    const [, routed, right] = /at confidence 0\.55: (\S+) % routed, of these (\S+) % right/.exec(stdout) ?? []
    assert.ok(Number(routed) > 50 && Number(right) >= 85, stdout)
    const card = readFileSync(join(root, 'models/deflector-routing/README.md'), 'utf8').replace(/\s+/g, ' ')
    assert.ok(
      card.includes(`${routed} % would be routed; of these, ${right} % are right`),
      'the card tells these figures',
    )
  }),
)

test(
  'test prints what an artifact makes of prompts, and of those that were held out alone',
  inShell(async shell => {
    const all = await shell.run(['classifier', 'test', '--input', DATA, '--artifact', SHIPPED, '--held-out'])
    assert.is(all.code, 0, all.stderr)
    assert.match(all.stdout, /: 197 examples$/m)
    assert.match(all.stdout, /^ +complex +moderate +simple$/m)
    const lacking = await shell.run(['classifier', 'test', '--input', DATA, '--artifact', 'none.json'])
    assert.match(lacking.stderr, /^deflector: none\.json: /)
  }),
)

test(
  'test refuses labels that the artifact lacks, by file and line, and a selection of nothing',
  inShell(async shell => {
    const lines = readFileSync(DATA, 'utf8').trim().split('\n')
    const one = lines.find(line => partOf(JSON.parse(line).prompt, 1) === 'train') ?? ''
    const other = JSON.stringify({ ...JSON.parse(one), prompt: 'another one', complexity: 'hard' })
    shell.write('data.jsonl', `${one}\n${other}\n`)
    const ask = ['classifier', 'test', '--input', 'data.jsonl', '--artifact', SHIPPED]
    const unknown = await shell.run(ask)
    assert.equal(
      [unknown.code, unknown.stderr.trim()],
      [1, 'deflector: data.jsonl:2: "hard" is no complexity of the artifact; it has complex, moderate, simple'],
    )
    shell.write('data.jsonl', one)
    const none = await shell.run([...ask, '--held-out'])
    assert.equal(
      [none.code, none.stdout, none.stderr.trim()],
      [1, '', 'deflector: data.jsonl: none of the examples was held out by the training (seed 1)'],
    )
  }),
)

test(
  'explain says labels, confidence, and the rule that fits under the settings, also while routing is off',
  inShell(async shell => {
    const file = '[classifier_routing.matrix.simple]\ncodegen = "openai/tiny"\n'
    shell.write('service.toml', file)
    const { code, stdout, stderr } = await shell.run([
      'classifier',
      'explain',
      'Write a Python function that checks whether a number is prime.',
    ])
    assert.is(code, 0, stderr)
    assert.match(stdout, /^task_type +codegen +\d\.\d\d {2}\(/m)
    assert.match(stdout, /^complexity +simple/m)
    assert.match(stdout, /^confidence 0\.\d{3}, at or above the threshold of 0\.55$/m)
    assert.match(stdout, /^the rule "matrix simple\/codegen" fits and leads to openai\/tiny$/m)
    const unknown = await shell.run(['classifier', 'explain', 'x'], {
      SERVICE__CLASSIFIER_ROUTING__RULES: '[{"complexity":"hard","provider":"openai"}]',
    })
    assert.is(unknown.code, 1)
    assert.match(
      unknown.stderr,
      /rules\.0\.complexity: "hard" is no complexity of the artifact; it has complex, moderate, simple/,
    )
  }),
)

test(
  'explain says what is wrong with an artifact that it cannot use',
  inShell(async shell => {
    shell.write('torn.json', '{"version": 1,')
    const { code, stderr } = await shell.run(['classifier', 'explain', 'x', '--artifact', 'torn.json'])
    assert.equal([code, stderr.trim()], [1, `deflector: ${join(shell.cwd, 'torn.json')} is of no use: it is not JSON`])
  }),
)

const mistakes = async (shell: Shell, lines: readonly string[], more: readonly string[] = []) => {
  shell.write('data.jsonl', `${lines.join('\n')}\n`)
  const { code, stderr } = await shell.run([
    'classifier',
    'train',
    '--input',
    'data.jsonl',
    '--output',
    'out.json',
    ...more,
  ])
  assert.is(code, 1)
  return stderr.trim().split('\n')
}

test(
  'train says file and line of each mistake',
  inShell(async shell => {
    assert.equal(
      await mistakes(shell, [
        '\ufeff{"prompt":"a","tier":"x"}',
        'no json',
        '{"prompt":" ","tier":"x"}',
        '{"prompt":"b"}',
        '{"prompt":"a","tier":"y"}',
      ]),
      [
        'deflector: data.jsonl:2: this is no JSON object',
        'deflector: data.jsonl:3: "prompt" is missing or no text',
        'deflector: data.jsonl:4: "tier" is missing or no text',
        'deflector: data.jsonl:5: the same prompt stands at data.jsonl:1',
      ],
    )
    assert.match((await mistakes(shell, ['{"prompt":"a"}']))[0] ?? '', /data\.jsonl:1: the line has no label/)
    assert.match((await mistakes(shell, ['{"prompt":"a","t":"x"}']))[0] ?? '', /no example falls into the part/)
    assert.match((await mistakes(shell, [''], ['--seed', 'x']))[0] ?? '', /--seed x: must be a whole number/)
    const [first = ''] = await mistakes(shell, [''], ['--seed', ''])
    assert.is(first, 'deflector: --seed "": must be a whole number')
    for (const names of ['', 't,,u'])
      assert.match((await mistakes(shell, ['{"prompt":"a","t":"x"}'], ['--heads', names]))[0] ?? '', /--heads .* blank/)
    assert.equal(await mistakes(shell, ['{"prompt":"a","__proto__":"x"}']), [
      'deflector: data.jsonl:1: "__proto__" cannot be the name of a label',
    ])
    const away = await shell.run(['classifier', 'train', '--input', 'away.jsonl', '--output', 'o.json'])
    assert.match(away.stderr, /away\.jsonl: cannot be read/)
  }),
)

test(
  'train says before its work that the output cannot be written',
  inShell(async shell => {
    // Without an embedder the command would fail at its work.
    const broken = { SERVICE__EMBEDDING_MODEL: '/nowhere/at/all' }
    shell.write('data.jsonl', '{"prompt":"a","t":"x"}')
    for (const output of ['.', 'none/made.json']) {
      const ask = ['classifier', 'train', '--input', 'data.jsonl', '--output', output]
      const { code, stderr } = await shell.run(ask, broken)
      assert.is(code, 1)
      assert.ok(stderr.startsWith(`deflector: ${output}: cannot be written (`), stderr)
    }
  }),
)

test(
  'train learns whatever heads the lines name, or those that are asked for',
  inShell(async shell => {
    const lines = Array.from({ length: 60 }, (_, number) =>
      JSON.stringify({
        prompt: `${number % 2 ? 'write a template' : 'build the system'} ${number}`,
        tier: number % 2 ? 'TEMPLATE' : 'COMPLEX',
        note: `n${number % 3}`,
      }),
    )
    shell.write('tiers.jsonl', lines.join('\n'))
    const { code, stdout, stderr } = await shell.run([
      'classifier',
      'train',
      '--input',
      'tiers.jsonl',
      '--output',
      'tiers.json',
      '--heads',
      'tier',
    ])
    assert.is(code, 0, stderr)
    assert.match(stdout, /^tier: 100\.0 % right/m)
    assert.not.match(stdout, /routed/)
    assert.equal(Object.keys(JSON.parse(readFileSync(join(shell.cwd, 'tiers.json'), 'utf8')).heads), ['tier'])
  }),
)

test.run()
