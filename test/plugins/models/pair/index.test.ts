import { fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Judge, Verdicts } from 'deflector'
import fc from 'fast-check'
import { suite, test } from 'uvu'
import * as assert from 'uvu/assert'
import pair from '../../../../plugins/models/pair/index.ts'
import { open } from '../../../../plugins/models/pair/open-judge.ts'
import { testHost } from '../../../contracts/host.ts'
import { checkModel } from '../../../contracts/model.ts'
import { SOURCES } from '../../../support/typescript/flags.mjs'
import { QUESTIONS } from './questions.ts'

const MODEL = fileURLToPath(new URL('../../../../models/deflector-pair', import.meta.url))

async function started(options: object = {}): Promise<Judge> {
  const host = testHost('model')
  const model = host.apply(pair, options)
  assert.ok('agree' in model)
  await host.start()
  return model
}

async function refusal(options: object): Promise<string> {
  try {
    await started(options)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  throw new Error('it started')
}

checkModel(pair)

const judging = suite<{ model: Judge; verdicts: Verdicts }>('the pair model')
judging.before(async context => {
  context.model = await started()
  context.verdicts = await open(context.model.portable.options)
})

judging('says of a pair the same, whichever was asked and whatever else was asked for', async ({ verdicts: model }) => {
  const prompt = fc.constantFrom(...QUESTIONS)
  await fc.assert(
    fc.asyncProperty(prompt, fc.array(prompt, { minLength: 1, maxLength: 4 }), async (asked, stored) => {
      const verdicts = await model.judge(asked, stored)
      for (const [i, text] of stored.entries()) {
        assert.equal(await model.judge(text, [asked]), [verdicts[i]])
        assert.equal(await model.judge(asked, [text]), [verdicts[i]])
      }
    }),
    { numRuns: 40, seed: 1 },
  )
})

judging('names the rule that refuses, and what it cannot read', async ({ verdicts: model }) => {
  const stored = [
    'How do I sleep for 5 minutes?',
    'word '.repeat(80),
    'What is ⟁⟁?',
    'promenim svoju lozinku na nalogu odmah',
    'How can I sleep for 10 minutes?',
  ]
  const verdicts = await model.judge('How do I sleep for 10 minutes?', stored)
  assert.equal(
    verdicts.map(({ reason }) => reason),
    ['numbers', 'long', 'unknown_words', 'language', undefined],
  )
  for (const { probability } of verdicts.slice(0, 4)) assert.is(probability, 0)
  assert.ok((verdicts[4]?.probability ?? 0) > 0)
})

judging('says the same in another process', async ({ model, verdicts: { judge } }) => {
  const stored = QUESTIONS.slice(0, 6)
  const { module, options } = model.portable
  const code = `import { open } from ${JSON.stringify(module)}
    const { judge } = await open(${JSON.stringify(options)})
    process.send(await judge('What is a mutex?', ${JSON.stringify(stored)}))
    process.disconnect()`
  const folder = mkdtempSync(join(tmpdir(), 'pair-'))
  try {
    const file = join(folder, 'child.mjs')
    writeFileSync(file, code)
    const child = fork(file, { execArgv: [...SOURCES] })
    const told = once(child, 'message')
    const ended = once(child, 'exit').then(([code]): never => {
      throw new Error(`it ended with ${code}`)
    })
    const [verdicts] = await Promise.race([told, ended])
    assert.equal(verdicts, await judge('What is a mutex?', stored))
  } finally {
    rmSync(folder, { recursive: true })
  }
})

judging.run()

test('a folder without a model says what helps', async () => {
  assert.match(await refusal({ model: '/nowhere' }), /pair model in \/nowhere cannot be loaded: ENOENT.*cache_mode/s)
})

test('the fingerprint changes with the calibration, and a wrong one is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pair-'))
  try {
    cpSync(MODEL, folder, { recursive: true })
    const { fingerprint } = await started({ model: folder })
    assert.is(fingerprint, (await started()).fingerprint)
    const file = join(folder, 'calibration.json')
    const calibration: object = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...calibration, shift: 0.5 }))
    assert.is.not((await started({ model: folder })).fingerprint, fingerprint)
    writeFileSync(file, JSON.stringify({ ...calibration, temperature: 0 }))
    assert.match(await refusal({ model: folder }), /cannot be loaded: calibration\.json: temperature: /)
    writeFileSync(file, '{')
    assert.match(await refusal({ model: folder }), /calibration\.json is no JSON/)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test.run()
