import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { type Language, languageOf } from '../../../../plugins/models/pair/language.ts'
import { tokensOf } from '../../../../plugins/models/pair/tokens.ts'

const language = (text: string): Language => languageOf(text, tokensOf(text))

test('function words and scripts tell a language', () => {
  const samples: Readonly<Record<Language, readonly string[]>> = {
    en: [
      'reset password',
      'att bill payment',
      'cite in apa style',
      'monolith vs microservices tradeoffs',
      'explain mitochondrial heteroplasmy',
      'baking powder vs baking soda',
      'chemotherapy hair loss prevention',
      'How do people die in the film Los Angeles?',
      'What does naïve mean?',
    ],
    de: ['Wie setze ich mein Passwort zurück?', 'Was ist der Unterschied zwischen Stack und Queue?'],
    fr: ['Comment puis-je changer mon mot de passe ?', 'Quelle est la capitale de la Norvège ?'],
    es: ['¿Cuál es la capital de Noruega?', 'Como puedo cambiar mi contraseña'],
    zh: ['如何重置我的密码？', '挪威的首都是哪里'],
    other: [
      'Nao pode comer ovo cru na gravidez',
      'Nu este sigur pentru copii',
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

test.run()
