import type { Facts } from './facts.ts'
import { agreeOnCapitals } from './rules/capitals.ts'
import { agreeOnCode, agreeOnQuotations, agreeOnSymbols } from './rules/code.ts'
import { agreeOnPrefixes } from './rules/contrary.ts'
import { agreeOnDegrees } from './rules/degree.ts'
import { agreeOnGivenTexts } from './rules/given.ts'
import { agreeOnAccents, agreeOnLetters, agreeOnShortNames } from './rules/letters.ts'
import { agreeOnManners } from './rules/manners.ts'
import { agreeOnMarks } from './rules/marks.ts'
import { agreeOnNames } from './rules/names.ts'
import { agreeOnNumbers, agreeOnUnits } from './rules/numbers.ts'
import { agreeOnOrder } from './rules/order.ts'

/** Changes with every change of what rules or canonical keys say. */
export const RULES_VERSION = '15'

type Pairs = readonly (readonly [string, string])[]

/** What must be equal, whatever the model says. */
export interface Rule {
  readonly id: string
  readonly why: string
  /** Refused, both ways round. */
  readonly harmful: Pairs
  /** Let through, both ways round. */
  readonly harmless: Pairs
  /** Symmetric. */
  agrees(a: Facts, b: Facts): boolean
}

/** In this order, the first that refuses gives the reason. */
export const RULES: readonly Rule[] = [
  {
    id: 'numbers',
    why: 'Vectors and word pieces hardly tell one number from another.',
    harmful: [
      ['Split into 3 parts', 'Split into four parts'],
      ['New in version 3.10', 'New in version 3.1'],
      ['The tallest hill', 'The second tallest hill'],
      ['how to exit VI', 'how to exit 6'],
      ['Can I take iron twice a day?', 'Can I take twice the iron a day?'],
    ],
    harmless: [
      ['Keep 7 days of logs', 'keep seven days of logs'],
      ['Name one river in France', 'Name a river in France'],
      ['World War II', 'world war 2'],
      ['how to exit VI', 'how to exit vi'],
      ['Brush twice a day', 'brush two times a day'],
      ['Pay twice the rent', 'pay double the rent'],
    ],
    agrees: agreeOnNumbers,
  },
  {
    id: 'units',
    why: 'A number of something else is another number.',
    harmful: [
      ['Sleep for 10 seconds', 'Sleep for 10 minutes'],
      ['Price per month', 'Price per year'],
      ['plans under 20', 'plans under $20'],
    ],
    harmless: [['Wait 5 min', 'wait five minutes']],
    agrees: agreeOnUnits,
  },
  {
    id: 'identifiers',
    why: 'Paths, flags, settings, patterns, versions and names of code stand in the answer.',
    harmful: [
      ['List /var/log', 'List /var/lib'],
      ['How do I run grep -r?', 'How do I run grep -R?'],
      ['What does MODE=ctype do?', 'What does MODE=noctype do?'],
    ],
    harmless: [
      ['Open `main.rs` in vim', 'open main.rs in vim'],
      ['How do I set key=value in bash?', 'How do I set key = value in bash?'],
    ],
    agrees: agreeOnCode,
  },
  {
    id: 'symbols',
    why: 'A sign is reckoned with, and the model has no piece for most of them.',
    harmful: [['What is 6 + 2?', 'What is 6 - 2?']],
    harmless: [['What is 2 + 2 =', 'What is 2 + 2?']],
    agrees: agreeOnSymbols,
  },
  {
    id: 'quoted',
    why: 'What is quoted is worked on.',
    harmful: [
      ['Translate "good day"', 'Translate "good night"'],
      ['Explain `Map` in Haskell', 'Explain `map` in Haskell'],
    ],
    harmless: [['Who wrote "Dune"?', 'Who wrote Dune?']],
    agrees: agreeOnQuotations,
  },
  {
    id: 'given_text',
    why: 'A text that is handed over is worked on, and one word of it makes another result.',
    harmful: [
      ['Find the verbs in: we saw her duck', 'Find the verbs in: we saw her ducks'],
      ['Is this rude? Could you move', 'Is this rude? Could you please move'],
      ['Does my poem have two lines? I came\nI saw', 'Does my poem have two lines? I came I saw'],
      ['sha256 of hello  world', 'give me the sha256 of hello world'],
    ],
    harmless: [['Translate: good day', 'translate: good day']],
    agrees: agreeOnGivenTexts,
  },
  {
    id: 'manners',
    why: 'Words of manners say nothing, unless they are the words asked about.',
    harmful: [
      ['What is the Thai word for please?', 'What is the Thai word for thanks?'],
      ['Write a song about the word sorry', 'write a song about the word hello'],
    ],
    harmless: [
      ['How do you say please in Thai?', 'What is the Thai word for please?'],
      ['Which word rhymes with sea? Please explain.', 'which word rhymes with sea? explain'],
    ],
    agrees: agreeOnManners,
  },
  {
    id: 'letter',
    why: 'One letter is a name: of a vitamin, a plug, a grade.',
    harmful: [
      ['symptoms of hepatitis a', 'symptoms of hepatitis'],
      ['tier b cities', 'tier c cities'],
    ],
    harmless: [
      ['How do I plan a trip?', 'how to plan trips'],
      ['foods with vitamin D', 'foods with vitamin d'],
    ],
    agrees: agreeOnLetters,
  },
  {
    id: 'accents',
    why: 'Marks make another word, and the pieces of the model have none.',
    harmful: [['conjugate hablo', 'conjugate habló']],
    harmless: [['calories in a Café', 'Calories in a café']],
    agrees: agreeOnAccents,
  },
  {
    id: 'short_name',
    why: 'A short word in capitals is a name, and the model sees no case.',
    harmful: [
      ['apply for us visa', 'apply for visa'],
      ['what does RAM cost', 'what does SSD cost'],
      ['Is there a Go game engine?', 'is there a go game engine'],
    ],
    harmless: [
      ['Give us some examples', 'give some examples'],
      ['How Do I Tie A Tie', 'how do i tie a tie'],
      ['hotels in New York', 'hotels in new york'],
    ],
    agrees: agreeOnShortNames,
  },
  {
    id: 'capitals',
    why: 'Where letters are worked on, a capital makes another result, and the model sees no case.',
    harmful: [
      ['md5 hash of the string secret', 'give me the md5 hash of the string Secret'],
      ['how many capital letters in Hello World', 'count the capital letters in hello world'],
      ['base64 of "Secret"', 'what is "secret" in base64?'],
    ],
    harmless: [
      ['What is base64 in Python?', 'what is Base64 in python'],
      ['How do I encode a file?', 'how do i encode a file'],
    ],
    agrees: agreeOnCapitals,
  },
  {
    id: 'name',
    why: 'A language, a system or a product on one side asks for another answer.',
    harmful: [
      ['reverse a string in Python', 'reverse a string in Ruby'],
      ['install docker on ubuntu', 'install docker on fedora'],
    ],
    harmless: [
      ['sort a list in js', 'sort a list in JavaScript'],
      ['how do I go to the airport', 'how do I get to the airport'],
    ],
    agrees: agreeOnNames,
  },
  {
    id: 'order',
    why: 'Two things that have changed places ask for the reverse, in the same words.',
    harmful: [
      ['How do I convert a PDF to Word?', 'what is the way to convert Word to PDF'],
      ['merge my branch into main', 'merge main into my branch'],
      ['turn a PDF into a Word file', 'convert Word to PDF'],
      ['trains from Paris to London', 'train from London to Paris'],
      ['call Brazil from the US', 'call the US from Brazil'],
      ['Does lack of sleep cause weight gain?', 'does weight gain cause lack of sleep'],
      ['Can bees recognise their keeper?', 'Can a keeper recognise his bees?'],
      ['Who taught Plato?', 'Whom did Plato teach?'],
      ['Do slow discs cause high load on the server?', 'Does high load on the server cause slow discs?'],
      ['Is my cough the reason I sleep badly?', 'is sleeping badly the reason for my cough'],
    ],
    harmless: [
      ['In Python, sort a list by key', 'sort a list by key in Python'],
      ['the difference between cats and dogs', 'difference between dogs and cats'],
      ['How to send money from my bank to PayPal', 'how can I send money to PayPal from my bank'],
      ['Before painting a wall, should I sand it?', 'Should I sand a wall before painting it?'],
      ['Does smoking cause cancer?', 'Is cancer caused by smoking?'],
    ],
    agrees: agreeOnOrder,
  },
  {
    id: 'degree',
    why: 'As much is not more, and the model reads both as a comparison.',
    harmful: [
      ['Is tin as heavy as lead?', 'Is tin heavier than lead?'],
      ['Does tea have as much caffeine as coffee?', 'does tea have more caffeine than coffee'],
    ],
    harmless: [
      ['Is a plum as sweet as a pear?', 'Are plums as sweet as pears?'],
      ['Delete files older than a week as soon as I log in', 'When I log in, delete files older than a week'],
    ],
    agrees: agreeOnDegrees,
  },
  {
    id: 'marks',
    why: 'The last mark of a name or a given text is a part of it.',
    harmful: [
      ['explain the Ruby method empty?', 'explain the Ruby method empty!'],
      ['URL-encode the string cats and dogs?', 'URL-encode the string cats and dogs'],
      ['What does null? do in Scheme', 'What does null do in Scheme'],
      ['difference between sort and sort!', 'difference between sort and sort'],
    ],
    harmless: [
      ['How do I undo a commit in git?', 'How do I, in git, undo a commit!'],
      ['count the characters of a string (bash)', 'Count the characters of a string, bash!'],
    ],
    agrees: agreeOnMarks,
  },
  {
    id: 'contrary',
    why: 'A prefix makes the contrary, and most of its pieces are those of the word.',
    harmful: [
      ['Is it safe to eat raw eggs?', 'is it unsafe to eat raw eggs'],
      ['how to activate the card', 'how to deactivate the card'],
    ],
    harmless: [['Is it safe or unsafe to eat eggs?', 'is it safe to eat eggs, or unsafe']],
    agrees: agreeOnPrefixes,
  },
]

/** Id of the first rule that refuses. Both ways round the same. */
export const refusalOf = (a: Facts, b: Facts): string | undefined => RULES.find(rule => !rule.agrees(a, b))?.id
