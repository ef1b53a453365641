import { formTexts } from 'deflector/formats/form-texts'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const TYPE = 'multipart/form-data; boundary=x'
const part = (headers: string, value: string, boundary = 'x'): string =>
  `--${boundary}\r\n${headers}\r\n\r\n${value}\r\n`
const named = (name: string, value: string): string => part(`Content-Disposition: form-data; name=${name}`, value)
const model = (body: string, type = TYPE): string | undefined => {
  const bytes = Buffer.from(body)
  const found = formTexts(bytes, type, ['model']).get('model')
  if (found) assert.is(bytes.toString('utf8', found.start, found.end), found.text, 'it stands where it is said to')
  return found?.text
}

test('finds a text by its name, however the form is written', () => {
  assert.is(model(`${named('"model"', 'm-1')}--x--`), 'm-1')
  assert.is(model(`preamble\r\n${named('file', 'a')}${named('model', 'é')}--x--`), 'é')
  assert.is(model(`${part('content-type: text/plain\r\nCONTENT-DISPOSITION: FORM-DATA; name="model"', 'm')}--x--`), 'm')
  assert.is(model(`${named('model', '')}--x--`), '')
  assert.is(
    model(
      `${part('content-disposition: form-data; name="model"', 'm', 'a b')}--a b--`,
      'multipart/form-data; boundary="a b"',
    ),
    'm',
  )
  assert.is(model(`${named('model', 'first')}${named('model', 'second')}--x--`), 'first')
})

test('finds nothing in what is no text, no form or not whole', () => {
  assert.is(model(`${part('content-disposition: form-data; name="model"; filename="m"', 'm')}--x--`), undefined)
  assert.is(
    model(`${part('content-disposition: form-data; name="model"\r\ncontent-transfer-encoding: base64', 'bQ==')}--x--`),
    undefined,
  )
  assert.is(model(`${part('content-disposition: form-data; name="file"', 'name="model"\r\n\r\nm')}--x--`), undefined)
  assert.is(model(`${named('"other"; x="name=model"', 'm')}--x--`), undefined)
  assert.is(model(`${named('model', 'm'.repeat(600))}--x--`), undefined)
  assert.is(model('--x\r\ncontent-disposition: form-data; name="model"\r\n\r\ncut off'), undefined)
  assert.is(model('--x'), undefined)
  assert.is(model(`${named('model', 'm')}--x--`, 'multipart/form-data'), undefined)
  assert.is(model(`${named('model', 'm')}--x--`, 'application/json'), undefined)
  assert.is(model('', TYPE), undefined)
})

test('stops after so many parts', () => {
  assert.is(model(`${named('a', '').repeat(100)}${named('model', 'm')}--x--`), 'm')
  assert.is(model(`${named('a', '').repeat(300)}${named('model', 'm')}--x--`), undefined)
})

test.run()
