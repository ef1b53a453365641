import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LogFile, linesOf } from 'deflector/files'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opened, tempFolder } from '../../support/opened.ts'

async function logIn(content: string): Promise<{ readonly path: string; readonly log: LogFile }> {
  const path = join(tempFolder('log-file'), 'a.jsonl')
  writeFileSync(path, content)
  const log = await LogFile.open(path)
  opened(() => log.close())
  return { path, log }
}

const LONG = 'x'.repeat(200_000)

test('whatever a crash left at the end is taken off, and the next line begins a line of its own', async () => {
  for (const [content, whole] of [
    ['', ''],
    ['one\n', 'one\n'],
    ['one\ntwo', 'one\n'],
    ['torn', ''],
    [LONG, ''],
    [`one\n${LONG}`, 'one\n'],
    [`${LONG}\n${LONG}`, `${LONG}\n`],
  ] as const) {
    const { path, log } = await logIn(content)
    assert.is(log.size, whole.length)
    await log.append(Buffer.from('next\n'))
    await log.sync()
    assert.is(readFileSync(path, 'utf8'), `${whole}next\n`)
    assert.is(log.size, whole.length + 5)
  }
})

test('lines are read from any of them on, each with the byte after it', async () => {
  const { path } = await logIn(`one\n${LONG}\nthree\n`)
  const read = async (from?: number) => {
    const lines: [string, number][] = []
    for await (const { line, end } of linesOf(path, from)) lines.push([line, end])
    return lines
  }
  const all = await read()
  assert.equal(all, [
    ['one', 4],
    [LONG, 200_005],
    ['three', 200_011],
  ])
  assert.equal(await read(200_005), all.slice(2))
  truncateSync(path, 200_008)
  assert.equal(await read(), all.slice(0, 2), 'a line without its end is none yet')
})

test.run()
