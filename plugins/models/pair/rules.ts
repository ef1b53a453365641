import type { Facts } from './facts.ts'
import { agreeOnCode, agreeOnQuotations, agreeOnSymbols } from './rules/code.ts'
import { agreeOnAccents, agreeOnLetters, agreeOnShortNames } from './rules/letters.ts'
import { agreeOnNames } from './rules/names.ts'
import { agreeOnNumbers, agreeOnUnits } from './rules/numbers.ts'

/** Changes with every change of what rules or canonical keys say. */
export const RULES_VERSION = '3'

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
      ['What is twenty one in binary?', 'What is twenty in binary?'],
      ['Split into 3 parts', 'Split into four parts'],
      ['Who won in world war one?', 'Who won in world war two?'],
      ['New in version 3.10', 'New in version 3.1'],
      ['The tallest hill', 'The second tallest hill'],
      ['Half the recipe', 'Double the recipe'],
      ['henry vii wives', 'henry viii wives'],
      ['how to exit VI', 'how to exit 6'],
      ['1st amendment', '2nd amendment'],
      ['chmod 755 run', 'chmod 644 run'],
    ],
    harmless: [
      ['Keep 7 days of logs', 'keep seven days of logs'],
      ['List twenty-one rivers', 'List 21 rivers'],
      ['It costs $1,000', 'it costs a thousand dollars'],
      ['Name one river in France', 'Name a river in France'],
      ['Is the second one better?', 'Is the second better?'],
      ['World War II', 'world war 2'],
      ['Who won World War I?', 'who won world war 1'],
      ['Henry VIII wives', 'henry viii wives'],
      ['chapter 4', 'chapter IV'],
      ['1st amendment', 'first amendment'],
      ['how to exit VI', 'how to exit vi'],
    ],
    agrees: agreeOnNumbers,
  },
  {
    id: 'units',
    why: 'A number of something else is another number.',
    harmful: [
      ['Sleep for 10 seconds', 'Sleep for 10 minutes'],
      ['Files over 10MB', 'Files over 10GB'],
      ['Plans under $20', 'Plans under €20'],
      ['Copy 10 Mb', 'Copy 10 MB'],
      ['Price per month', 'Price per year'],
      ['convert 5 miles to km', 'convert 5 miles to metres'],
      ['raise by 10', 'raise by 10%'],
      ['plans under 20', 'plans under $20'],
    ],
    harmless: [
      ['Wait 5 min', 'wait five minutes'],
      ['Files over 10 megabytes', 'files over 10MB'],
    ],
    agrees: agreeOnUnits,
  },
  {
    id: 'identifiers',
    why: 'Paths, flags, patterns, versions and names of code stand in the answer.',
    harmful: [
      ['Find all *.txt files', 'Find all *.log files'],
      ['What does getUser do?', 'What does getUsers do?'],
      ['List /var/log', 'List /var/lib'],
      ['delete lib*.so here', 'delete bin*.so here'],
      ['How do I run grep -r?', 'How do I run grep -R?'],
      ['Upgrade to v2.1.0', 'Upgrade to v2.2.0'],
    ],
    harmless: [['Open `main.rs` in vim', 'open main.rs in vim']],
    agrees: agreeOnCode,
  },
  {
    id: 'symbols',
    why: 'A sign is reckoned with, and the model has no piece for most of them.',
    harmful: [
      ['What is 6 + 2?', 'What is 6 - 2?'],
      ['What is 5 - -3?', 'What is 5 - 3?'],
      ['chmod u+x run', 'chmod u-x run'],
      ['What does 😀 mean?', 'What does 😍 mean?'],
    ],
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
    id: 'letter',
    why: 'One letter is a name: of a vitamin, a plug, a grade.',
    harmful: [
      ['usb a cable', 'usb c cable'],
      ['symptoms of hepatitis a', 'symptoms of hepatitis c'],
      ['symptoms of hepatitis a', 'symptoms of hepatitis'],
      ['vitamin a deficiency', 'vitamin e deficiency'],
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
    harmful: [
      ['conjugate hablo', 'conjugate habló'],
      ['what does "ano" mean', 'what does "año" mean'],
    ],
    harmless: [
      ['calories in a Café', 'Calories in a café'],
      ['what is a cafe\u0301', 'what is a caf\u00e9'],
    ],
    agrees: agreeOnAccents,
  },
  {
    id: 'short_name',
    why: 'A short word in capitals is a name, and the model sees no case.',
    harmful: [
      ['apply for a US visa', 'apply for a visa'],
      ['apply for us visa', 'apply for visa'],
      ['call the IT department', 'call the department'],
      ['who guidelines on salt', 'guidelines on salt'],
      ['best US stocks', 'best us stocks'],
      ['what does RAM cost', 'what does SSD cost'],
      ['How much does RAM cost', 'how much does ram cost'],
      ['Is there a Go game engine?', 'is there a go game engine'],
    ],
    harmless: [
      ['Give us some examples', 'give some examples'],
      ['Give us examples', 'give examples'],
      ['show me all files', 'show me files'],
      ['how to make new friends', 'how to make friends'],
      ['OPEN A TIN OF TUNA', 'open a tin of tuna'],
      ['How Do I Tie A Tie', 'how do i tie a tie'],
      ['hotels in New York', 'hotels in new york'],
    ],
    agrees: agreeOnShortNames,
  },
  {
    id: 'name',
    why: 'A language, a system or a product on one side asks for another answer.',
    harmful: [
      ['reverse a string in Python', 'reverse a string in Ruby'],
      ['reverse a string in python', 'reverse a string'],
      ['install docker on ubuntu', 'install docker on fedora'],
      ['translate this menu into french', 'translate this menu into german'],
    ],
    harmless: [
      ['sort a list in js', 'sort a list in JavaScript'],
      ['how do I go to the airport', 'how do I get to the airport'],
    ],
    agrees: agreeOnNames,
  },
]

/** Id of the first rule that refuses. Both ways round the same. */
export const refusalOf = (a: Facts, b: Facts): string | undefined => RULES.find(rule => !rule.agrees(a, b))?.id
