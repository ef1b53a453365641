import { Writable } from 'node:stream'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { createLog, type LogOptions } from '../../../surfaces/cli/log.ts'

function logged(options: Omit<LogOptions, 'out'>, run: (log: ReturnType<typeof createLog>) => void): string {
  let text = ''
  const out = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  run(createLog({ ...options, out }))
  return text
}

test('for a person a line is time, level, message and facts', () => {
  const text = logged({ level: 'info', human: true }, log => {
    log.warn('no key is set', { provider: 'openai', tries: 3 })
    log.debug('not told')
  })
  assert.match(text, /^\d\d:\d\d:\d\d warn {2}no key is set {2}provider=openai {2}tries=3\n$/)
})

test('a message of several lines stays on one', () => {
  const text = logged({ level: 'info', human: true }, log => log.error('one\n  two'))
  assert.match(text, /error one \| two\n$/)
})

test('for a machine a line is JSON with level and time by name', () => {
  const text = logged({ level: 'info', human: false }, log => log.info('listening', { port: 1 }))
  const line: Record<string, unknown> = JSON.parse(text)
  assert.match(String(line.time), /^\d{4}-\d\d-\d\dT/)
  assert.equal({ ...line, time: '' }, { level: 'info', time: '', port: 1, msg: 'listening' })
})

test('what a client wrote cannot steer the terminal of who reads the log', () => {
  const text = logged({ level: 'info', human: true }, log => log.info('request', { model: 'm\u001b[2Jx' }))
  assert.match(text, 'model="m\\u001b[2Jx"')
})

test.run()
