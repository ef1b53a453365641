import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { blocksIn, needsGateway, readmeShell } from './support/readme.ts'

/** The README's commands that need no running gateway, as they are written. */

const shell = await readmeShell({ gateway: false })
test.after(() => shell.close())

const alone = blocksIn('sh').filter(block => !needsGateway(block))

test('there are such commands', () => {
  assert.ok(alone.length >= 6)
})

for (const block of alone) {
  test(`the commands of line ${block.line} do what they say`, async () => {
    const { code, out, err } = await shell.runLines(block)
    assert.is(code, 0, `${block.text}${out}${err}`)
  })
}

test.run()
