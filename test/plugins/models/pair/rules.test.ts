import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { factsOf } from '../../../../plugins/models/pair/facts.ts'
import { RULES, refusalOf } from '../../../../plugins/models/pair/rules.ts'

const refusal = (a: string, b: string): string | undefined => refusalOf(factsOf(a), factsOf(b))

type Pairs = readonly (readonly [string, string])[]

/** More of each rule's rows. */
const MORE: Readonly<Record<string, { harmful?: Pairs; harmless?: Pairs }>> = {
  numbers: {
    harmful: [
      ['What is twenty one in binary?', 'What is twenty in binary?'],
      ['Who won in world war one?', 'Who won in world war two?'],
      ['Half the recipe', 'Double the recipe'],
      ['henry vii wives', 'henry viii wives'],
      ['1st amendment', '2nd amendment'],
      ['chmod 755 run', 'chmod 644 run'],
    ],
    harmless: [
      ['List twenty-one rivers', 'List 21 rivers'],
      ['It costs $1,000', 'it costs a thousand dollars'],
      ['Is the second one better?', 'Is the second better?'],
      ['Who won World War I?', 'who won world war 1'],
      ['Henry VIII wives', 'henry viii wives'],
      ['chapter 4', 'chapter IV'],
      ['1st amendment', 'first amendment'],
    ],
  },
  units: {
    harmful: [
      ['Files over 10MB', 'Files over 10GB'],
      ['Plans under $20', 'Plans under €20'],
      ['Copy 10 Mb', 'Copy 10 MB'],
      ['convert 5 miles to km', 'convert 5 miles to metres'],
      ['raise by 10', 'raise by 10%'],
    ],
    harmless: [['Files over 10 megabytes', 'files over 10MB']],
  },
  identifiers: {
    harmful: [
      ['Find all *.txt files', 'Find all *.log files'],
      ['What does getUser do?', 'What does getUsers do?'],
      ['delete lib*.so here', 'delete bin*.so here'],
      ['Upgrade to v2.1.0', 'Upgrade to v2.2.0'],
    ],
  },
  symbols: {
    harmful: [
      ['What is 5 - -3?', 'What is 5 - 3?'],
      ['chmod u+x run', 'chmod u-x run'],
      ['What does 😀 mean?', 'What does 😍 mean?'],
    ],
  },
  quoted: {},
  letter: {
    harmful: [
      ['usb a cable', 'usb c cable'],
      ['symptoms of hepatitis a', 'symptoms of hepatitis c'],
      ['vitamin a deficiency', 'vitamin e deficiency'],
    ],
  },
  accents: {
    harmful: [['what does "ano" mean', 'what does "año" mean']],
    harmless: [['what is a cafe\u0301', 'what is a caf\u00e9']],
  },
  short_name: {
    harmful: [
      ['apply for a US visa', 'apply for a visa'],
      ['call the IT department', 'call the department'],
      ['who guidelines on salt', 'guidelines on salt'],
      ['best US stocks', 'best us stocks'],
      ['How much does RAM cost', 'how much does ram cost'],
    ],
    harmless: [
      ['Give us examples', 'give examples'],
      ['show me all files', 'show me files'],
      ['how to make new friends', 'how to make friends'],
      ['OPEN A TIN OF TUNA', 'open a tin of tuna'],
    ],
  },
  name: {
    harmful: [
      ['reverse a string in python', 'reverse a string'],
      ['translate this menu into french', 'translate this menu into german'],
    ],
  },
  order: {
    harmful: [
      ['The cat is watching the bird', 'the bird is watching the cat'],
      ['What do buyers owe the seller?', 'what does the seller owe buyers'],
      ['a gift from the groom for the parents of the bride', 'a gift from the parents of the bride for the groom'],
      ['make user deploy, group www owner', 'make user www, group deploy owner'],
      ['What animals eat snakes?', 'What animals do snakes eat?'],
      ['who can beat Batman', 'Who can Batman beat?'],
      ['What depends on libc?', 'what does libc depend on'],
      ['what runs before init', 'what does init run before'],
      ['Which teams have beaten Brazil?', 'Which teams has Brazil beaten?'],
    ],
    harmless: [
      ['What is a mutex?', 'what does mutex mean'],
      ['Who taught Aristotle?', 'Under whom did Aristotle study?'],
      ['What did Plato write?', 'what did Plato write, and when did he'],
      ['Should I learn Spanish or French?', 'should I learn french or spanish'],
      ['tuples versus lists', 'lists versus tuples'],
      ['My badge does not open the door', 'The door does not open with my badge'],
      ['When it rains, can I park here?', 'Can I park here when it rains?'],
    ],
  },
  capitals: {
    harmful: [
      ['SHA-1 of Password1', 'what is the sha-1 of password1'],
      ['base64 of No', 'base64 of no'],
    ],
    harmless: [['when do I use base64?', 'when do i use Base64']],
  },
  marks: {
    harmful: [
      ['When do I use save! in Rails', 'when do I use save in Rails'],
      ['Kotlin: what is the type String?', 'Kotlin: what is the type String'],
      ['How many characters are in hello world!', 'how many characters are in hello world'],
    ],
    harmless: [
      ['Find files that hold "string"?', 'find files that hold "string"'],
      ['Match all names with a pattern?', 'match all names with a pattern'],
      ['undo a commit!', 'undo a commit'],
      ['What is a slice? And a map?', 'what is a slice and a map'],
    ],
  },
}

for (const { id, harmful, harmless, agrees } of RULES)
  test(`${id} refuses and lets through what its row says, both ways round`, () => {
    assert.ok(harmful.length > 0 && harmless.length > 0)
    for (const [a, b] of bothWays([...harmful, ...(MORE[id]?.harmful ?? [])]))
      assert.not.ok(agrees(factsOf(a), factsOf(b)), `${a} | ${b}`)
    for (const [a, b] of bothWays([...harmless, ...(MORE[id]?.harmless ?? [])]))
      assert.is(refusal(a, b), undefined, `${a} | ${b}`)
  })

const bothWays = (pairs: Pairs): Pairs => pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])

test('no prompt differs from itself', () => {
  const rows = [...RULES, ...Object.values(MORE)]
  for (const { harmful = [], harmless = [] } of rows)
    for (const text of [...harmful, ...harmless].flat()) assert.is(refusal(text, text), undefined, text)
})

test('numbers are read with all of their words', () => {
  for (const [a, b] of [
    ['What is two hundred and five?', 'What is 205?'],
    ['How far is five thousand miles?', 'How far is 5000 miles?'],
    ['Is three million a lot?', 'is 3 million a lot'],
    ['What is one hundred in binary?', 'What is a hundred in binary?'],
    ['The twenty-first century', 'the 21st century'],
    ['Wait for a second', 'Wait a second'],
  ] as const)
    assert.is(refusal(a, b), undefined, `${a} | ${b}`)
  for (const [a, b] of [
    ['List thirty-one uses of salt', 'List thirty uses of salt'],
    ['Name a hundred and one dogs', 'Name a hundred dogs'],
    ['What is one twenty in hex?', 'What is twenty in hex?'],
    ['How long is two trillion seconds?', 'How long is two seconds?'],
    ['Count one two three', 'Count two three'],
    ['World War I', 'World War II'],
    ['the twenty first century', 'the twentieth century'],
  ] as const)
    assert.ok(refusal(a, b) !== undefined, `${a} | ${b}`)
})

test('permissions, sizes and patterns of shell tasks are told apart', () => {
  for (const [a, b] of [
    ['Find all files with permission 644 in /tmp', 'Find all files with permission 755 in /tmp'],
    ['find files larger than 10M', 'find files larger than 10k'],
    ['find files named "a*.c" in src', 'find files named "b*.c" in src'],
    ['list files matching lib*.so', 'list files matching bin*.so'],
    ['what does chmod +x do', 'what does chmod -x do'],
  ] as const)
    assert.ok(refusal(a, b) !== undefined, `${a} | ${b}`)
})

test.run()
