import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Language, languageOf } from '../../../../plugins/models/pair/language.ts'
import { readPrompt } from '../../../../plugins/models/pair/reading.ts'
import { tokensOf } from '../../../../plugins/models/pair/tokens.ts'

const language = (text: string): Language => languageOf(text, tokensOf(text))

/** Questions and keywords in 16 languages, and English ones full of names and foreign words. Never learnt from. */
const rows = readFileSync(new URL('../../../../scripts/language/own.tsv', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map(line => line.split('\t'))
const textsOf = (isWanted: (language: string) => boolean): string[] =>
  rows.flatMap(([name = '', text = '']) => (isWanted(name) ? [text] : []))
const OTHERS = textsOf(name => name !== 'en')
const isLong = (text: string): boolean => tokensOf(text).length > 3

test('letters, function words and scripts tell a language', () => {
  const samples: Readonly<Record<Language, readonly string[]>> = {
    en: [
      'reset password',
      "Hi, isn't Pluto a planet?",
      'att bill payment',
      'cite in apa style',
      'monolith vs microservices tradeoffs',
      'explain mitochondrial heteroplasmy',
      'baking powder vs baking soda',
      'chemotherapy hair loss prevention',
      'How do people die in the film Los Angeles?',
      'What does naïve mean?',
      'What does schadenfreude mean?',
      'How do I pronounce croissant?',
      'How do you say "où est la gare" in English?',
      'pad thai recipe',
      'What is the difference between ratatouille and caponata?',
      'jalapeño poppers recipe',
      'Who wrote Das Kapital?',
      'git rebase conflict',
      'docker compose volumes',
      'nginx reverse proxy',
      'SELECT name FROM users',
      '17 * 23',
      '',
    ],
    de: ['Wie setze ich mein Passwort zurück?', 'Was ist der Unterschied zwischen Stack und Queue?'],
    fr: ['Comment puis-je changer mon mot de passe ?', 'Quelle est la capitale de la Norvège ?'],
    es: ['¿Cuál es la capital de Noruega?', 'Como puedo cambiar mi contraseña'],
    zh: ['如何重置我的密码？', '挪威的首都是哪里'],
    other: [
      'Nao pode comer ovo cru na gravidez',
      'Nu pot deschide contul meu',
      'Onko kissa voiko koira',
      'Hur lagar jag en cykel',
      'Bagaimana cara tidak lupa',
      '日本の首都はどこですか',
      'Как сбросить пароль?',
      'Hoe kan ik mijn wachtwoord wijzigen?',
    ],
  }
  for (const [wanted, texts] of Object.entries(samples))
    for (const text of texts) assert.is(language(text), wanted, text)
})

test('opposites in another language are not compared, with no function word and with words that English has, too', () => {
  for (const text of [
    'Comment vendre un appartement?',
    'Comment acheter un appartement?',
    'installer un certificat',
    'supprimer un certificat',
    'activer un compte',
    'supprimer un compte',
    'annuler un vol',
    'changer un vol',
    'annuler un virement',
    'modifier un virement',
    'créer un index',
    'supprimer un index',
    'soigner un rhume',
    'éviter un rhume',
    'obtenir un remboursement',
    'contester un remboursement',
    'Darf man den Hund im Auto lassen?',
    'Darf man den Hund am Auto lassen?',
    'Was heißt Schloß in Wien?',
    'Was heißt Schoß in Wien?',
    'Cancelar pedido',
    'Cancelado pedido',
    'Annullare volo',
    'Annullato volo',
  ])
    assert.not.ok(
      readPrompt(text, { languages: new Set(['en']), maxPieces: 64, areWork: () => false }).comparable,
      text,
    )
})

test('no question in another language is English, and of keywords one in a hundred at most', () => {
  assert.equal(
    OTHERS.filter(isLong).filter(text => language(text) === 'en'),
    [],
  )
  const keywords = OTHERS.filter(text => !isLong(text))
  const taken = keywords.filter(text => language(text) === 'en')
  assert.ok(taken.length <= keywords.length / 100, taken.join(', '))
})

test('case, spaces and end marks have no say', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...rows.map(([, text = '']) => text).filter(text => /^[\0-\x7f]*$/.test(text))),
      fc.constantFrom('', '?', '.', ' !', '...'),
      (text, end) => {
        const plain = text.replace(/[?.!\s]+$/, '')
        assert.is(language(` ${plain.replaceAll(' ', '  ')}${end}`), language(plain))
      },
    ),
    { numRuns: 300, seed: 1 },
  )
})

test.run()
