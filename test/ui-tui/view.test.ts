import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Key, keyOf, pressed, type Rows, START, type View } from '../../ui-tui/view.ts'

const rows: Rows = { keys: ['a', 'b', 'c', 'd'], sorts: ['', 'took', 'layer'], page: 2, stories: true, lastTop: 5 }

/** The view after these keys, a character each. */
function after(keys: string, view: View = START, of: Rows = rows): View {
  return [...keys].reduce<View>((now, key) => {
    const next = pressed(now, keyOf(key), of)
    if (next === 'quit') throw new Error(`${key} quits`)
    return next
  }, view)
}
const press = (key: Partial<Key>, view: View): View | 'quit' => pressed(view, { input: '', ...key }, rows)

test('j and k move within the rows, g and G go to their ends, and the first row is whichever is the newest', () => {
  assert.is(after('j').selected, 'b')
  assert.is(after('jjjjjj').selected, 'd')
  assert.is(after('jk').selected, undefined)
  assert.is(after('G').selected, 'd')
  assert.is(after('Gg').selected, undefined)
  const paged = press({ pageDown: true }, START)
  assert.is(paged === 'quit' ? paged : paged.selected, 'c')
  const chosen = after('jj')
  assert.is(
    after('j', chosen, { ...rows, keys: ['new', ...rows.keys] }).selected,
    'd',
    'the row is held, not its place',
  )
  assert.is(after('j', chosen, { ...rows, keys: [] }).selected, undefined)
})

test('a number or Tab chooses a tab; s goes round the columns of the tab, and r turns the order', () => {
  assert.is(after('3').tab, 'Layers')
  assert.is(after('9').tab, 'Overview')
  assert.is(after('\t').tab, 'Requests')
  const back = press({ tab: true, shift: true }, START)
  assert.is(back === 'quit' ? back : back.tab, 'Usage')
  const twice = after('2ss')
  assert.is(twice.sort.Requests, 'layer')
  assert.is(after('s', twice).sort.Requests, '')
  assert.is(after('r', twice).reversed, true)
  assert.is(after('1', twice).sort.Overview, undefined)
})

test('b goes round what costs are told by, on the tab Usage alone', () => {
  assert.equal([after('6').usageBy, after('6b').usageBy, after('6bb').usageBy], ['principal', 'model', 'tag'])
  assert.is(after('6bbb').usageBy, 'principal')
  assert.is(after('2b').usageBy, 'principal')
})

test('a filter takes every key until Enter, and Escape drops it', () => {
  assert.equal(
    [after('/q1s').filter, after('/q1s').typing, after('/q1\u007f\r').filter, after('/q\r').typing],
    ['q1s', true, 'q', false],
  )
  assert.is(after('/l3\r\u001b').filter, '')
  assert.is(after('/l3\u001b').typing, false)
  assert.is(after(`/${'x'.repeat(500)}`).filter.length, 100)
})

test('Enter opens the story of the row, where rows have one; j scrolls it to its end, and q closes it', () => {
  assert.equal(after('j\r').story, { id: 'b', top: 0 })
  assert.equal(after('\r').story, { id: 'a', top: 0 })
  assert.is(after('\r', START, { ...rows, stories: false }).story, undefined)
  assert.is(after('\r', START, { ...rows, keys: [] }).story, undefined)
  assert.is(after('\rjjjjjjjj').story?.top, 5)
  assert.is(after('\rGk').story?.top, 4)
  assert.is(after('\rq').story, undefined)
  assert.is(pressed(after('\rq'), keyOf('q'), rows), 'quit')
})

test('? shows the keys, and any key hides them', () => {
  assert.is(after('?').help, true)
  assert.is(after('?q').help, false)
})

test.run()
