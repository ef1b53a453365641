import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { pieces } from '../../../core/chat/replay.ts'

const TEXTS: Readonly<Record<string, string>> = {
  base64: 'QUJDRA'.repeat(40_000),
  Chinese: '高速缓存保存答案。'.repeat(20_000),
  'words far apart': `${'x'.repeat(500)} `.repeat(400),
}

for (const [name, text] of Object.entries(TEXTS)) {
  test(`text without a space nearby (${name}) is searched once, however long it is`, () => {
    let searched = 0
    const { lastIndexOf } = String.prototype
    String.prototype.lastIndexOf = function (this: string, what: string, from: number = this.length) {
      const found = lastIndexOf.call(this, what, from)
      searched += Math.min(from, this.length) - found
      return found
    }
    try {
      assert.is([...pieces(text)].join(''), text)
    } finally {
      String.prototype.lastIndexOf = lastIndexOf
    }
    assert.ok(searched <= 2 * text.length, `${searched} characters were looked at for ${text.length}`)
  })
}

test('text is cut after a space where one is near', () => {
  const text = 'a sentence of plain words '.repeat(20)
  for (const piece of [...pieces(text)].slice(0, -1)) {
    assert.ok(piece.endsWith(' '), JSON.stringify(piece))
    assert.ok(piece.length > 32 && piece.length <= 65, String(piece.length))
  }
})

test('no piece begins with the second half of a pair, a combining mark or what a joiner holds', () => {
  const text = `${'x'.repeat(63)}${'👩‍👩‍👧'.repeat(60)}${'é'.repeat(80)}`
  const cut = [...pieces(text)]
  assert.is(cut.join(''), text)
  for (const piece of cut) assert.not.match(piece, /^(?:[\udc00-\udfff]|\p{M}|\u200d)/u)
  for (const piece of cut.slice(0, -1)) assert.not.match(piece, /\u200d$/u)
})

test('combining marks without end do not make one endless piece', () => {
  const text = `a${'\u0301'.repeat(10_000)}`
  const cut = [...pieces(text)]
  assert.is(cut.join(''), text)
  for (const piece of cut) assert.ok(piece.length <= 200, String(piece.length))
})

test.run()
