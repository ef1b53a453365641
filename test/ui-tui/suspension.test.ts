import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { opened } from '../support/opened.ts'
import { SOURCES } from '../support/typescript/flags.mjs'
import { Started } from '../surfaces/cli/command.ts'

const suspended = fileURLToPath(new URL('../fixtures/terminal/suspended.ts', import.meta.url))

test('where no shell waits for the job, as under ssh -t, the screen is in front again at once', async () => {
  // As a leader of its own session, it has no shell that could continue it.
  const child = spawn(process.execPath, [...SOURCES, suspended], { detached: true })
  opened(() => child.kill('SIGKILL'))
  const started = new Started(child)
  await started.says(/\[\?1049h.*\[\?1049l.*\[\?1049h.*in front again/s)
  child.stdin.end()
  assert.is((await started.ended).code, 0)
})

test.run()
