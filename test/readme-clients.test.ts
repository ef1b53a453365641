import { spawnSync } from 'node:child_process'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Block } from './support/markdown.ts'
import { blocksIn, needsGateway, readmeShell } from './support/readme.ts'

/** The README's clients, and its commands that ask a running gateway, against one in demo mode on a free port. */

const shell = await readmeShell({ gateway: true })
test.after(() => shell.close())

for (const block of blocksIn('js')) {
  test(`the client of line ${block.line} is answered by the vendor, then by the cache`, async () => {
    const file = shell.write(`client-${block.line}.mjs`, shell.here(block.text))
    const { code, out, err } = await shell.run(process.execPath, [file])
    assert.is(code, 0, err)
    const lines = out.split('\n')
    assert.match(lines.find(line => line.startsWith('first')) ?? '', /^first l3 \S/)
    assert.match(lines.find(line => line.startsWith('again')) ?? '', /^again l1a \S/)
  })
}

const asking = blocksIn('sh').filter(needsGateway)
const ends = ({ text }: Block): boolean => text.includes('deflector stop')
const hasCurl = spawnSync('curl', ['--version']).status === 0
let requestId = ''

test('there are such commands', () => {
  assert.ok(asking.length >= 4)
  assert.ok(asking.some(ends))
})

for (const block of [...asking.filter(one => !ends(one)), ...asking.filter(ends)]) {
  // The id to forget is the one of the answer that curl showed.
  if (!hasCurl && /\b(?:curl|claude)\b|\$ID\b/.test(block.text)) continue
  test(`the commands of line ${block.line} do what they say`, async () => {
    const { code, out, err } = await shell.runLines(block, { ID: requestId })
    assert.is(code, 0, `${block.text}${out}${err}`)
    requestId = /^x-service-request-id: (\S+)/im.exec(out)?.[1] ?? requestId
  })
}

test.run()
