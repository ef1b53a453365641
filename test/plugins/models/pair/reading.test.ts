import type { Reading } from 'deflector'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readPrompt } from '../../../../plugins/models/pair/reading.ts'

const read = (text: string): Reading =>
  readPrompt(text, { languages: new Set(['en']), maxPieces: 64, areWork: () => false })

test('a plain question may be compared with others', () => {
  const { comparable, refused } = read('How do I undo a commit?')
  assert.ok(comparable)
  assert.is(refused, undefined)
})

test('what changes by itself, is the own affair, or shall be another one is refused', () => {
  for (const text of [
    'Give me a random number',
    'Tell me another joke',
    'What is the weather today?',
    'Show my latest orders',
    'Explain it again',
  ])
    assert.is(read(text).refused, 'volatile', text)
})

test('and so it is in the languages that have a table, whether they are switched on or not', () => {
  for (const text of [
    'Wie ist das Wetter heute?',
    'Gib mir eine zufällige Zahl',
    'Wo ist meine Bestellung?',
    'Erzähl mir noch einen Witz',
    'Quelle heure est-il à Paris ?',
    'Où est ma commande ?',
    'Raconte encore une blague pour nous',
    '¿Qué hora es en Madrid?',
    '¿Dónde está mi pedido?',
    'Dime un número al azar por favor',
    // No function word: the language is known by its letters alone.
    'Météo Paris demain',
    'horaires bus aujourd’hui',
    'Wetter Hamburg heute',
    'clima Madrid mañana',
    // English, though its letters are not.
    'São Paulo weather today',
    '今天天气怎么样？',
    '我的订单在哪里？',
    '随机给我一个数字',
  ])
    assert.is(read(text).refused, 'volatile', text)
  for (const text of [
    'Wie setze ich mein Passwort zurück?',
    'Quelle est la capitale de la Norvège ?',
    '¿Cuál es la capital de Noruega?',
    '挪威的首都是哪里？',
  ])
    assert.is(read(text).refused, undefined, text)
})

test('and so it is where another language is guessed', () => {
  for (const text of [
    // As German, by `du`.
    "cours du bitcoin aujourd'hui",
    'film du soir ce soir',
    'prix du gazole actuel',
    // As French, by `que` or `la`.
    'que hora es',
    'noticias de la guerra ahora',
    'hola que tiempo hace hoy en Madrid',
    // As English, by their names.
    'Champions League heute Abend',
    'Trump news heute',
    'Real Madrid hoy',
    'Premier League ce soir',
    'Trump news update 今天',
  ])
    assert.is(read(text).refused, 'volatile', text)
  for (const text of [
    'Wo ist hier der Fehler in meinem Satz?',
    'What does heute mean?',
    'how do you say mañana in German',
    'Why is London wetter than Rome?',
    'What is the actual size of an atom?',
  ])
    assert.is(read(text).refused, undefined, text)
})

test('a prompt in a language that is off is read, but not compared', () => {
  const { canonical, comparable } = read('Wie setze ich mein Passwort zurück?')
  assert.not.ok(comparable)
  assert.is(canonical, read('wie setze ich mein passwort zurück').canonical)
  assert.ok(
    readPrompt('Wie setze ich mein Passwort zurück?', {
      languages: new Set(['en', 'de']),
      maxPieces: 64,
      areWork: () => false,
    }).comparable,
  )
})

test('pasted code and documents are refused, and long prompts are not compared', () => {
  for (const text of [
    'Why does this fail?\n```js\nlet a\n```',
    'fix this\nfunction f(a) {\n  return a;\n}',
    'Traceback (most recent call last):\n  File "a.py", line 3\n    import foo;',
    'word '.repeat(500),
    '   ',
  ])
    assert.is(read(text).refused, 'long_or_code', text)
  assert.not.ok(read('one two '.repeat(40)).comparable)
})

test('after earlier turns a short prompt is refused, and one that points back is compared with none', () => {
  const follows = (text: string): Reading =>
    readPrompt(text, { languages: new Set(['en']), maxPieces: 64, areWork: () => false }, { texts: [], follows: true })
  assert.is(follows('and in Python?').refused, 'leans')
  assert.not.ok(follows('Explain that in more detail for somebody who is new to all of programming').comparable)
  assert.ok(follows('How do I sort a list of numbers by size in Python three').comparable)
  assert.is(read('and in Python?').refused, undefined)
})

test.run()
