import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { comparable } from '../../../../../plugins/layers/semantic-cache/decide.ts'
import { refusal } from '../../../../../plugins/layers/semantic-cache/guards/table.ts'

const verdict = (a: string, b: string): string | undefined => refusal(comparable(a), comparable(b))

/** Both ways round: a guard has no first and second prompt. */
function refuses(reasons: readonly string[], pairs: readonly (readonly [string, string])[]): void {
  for (const [a, b] of pairs)
    for (const found of [verdict(a, b), verdict(b, a)])
      assert.ok(found !== undefined && reasons.includes(found), `${a} | ${b}: ${found ?? 'no objection'}`)
}
function passes(pairs: readonly (readonly [string, string])[]): void {
  for (const [a, b] of pairs) {
    assert.is(verdict(a, b), undefined, `${a} | ${b}`)
    assert.is(verdict(b, a), undefined, `${b} | ${a}`)
  }
}

test('another number, unit or version is another question', () => {
  refuses(
    ['numbers', 'units', 'identifiers'],
    [
      ['Sleep for 10 seconds', 'Sleep for 10 minutes'],
      ['Split into 3 parts', 'Split into four parts'],
      ['What happened in 1914?', 'What happened in 1918?'],
      ['Files over 10MB', 'Files over 10GB'],
      ['Plans under $20', 'Plans under €20'],
      ['Upgrade to v2.1.0', 'Upgrade to v2.2.0'],
      ['Meet at 9am', 'Meet at 9pm'],
      ['Best phones', 'Best 5 phones'],
      ['The tallest hill', 'The second tallest hill'],
      ['New in version 3.10', 'New in version 3.1'],
      ['Copy 10 Mb', 'Copy 10 MB'],
      ['Half the recipe', 'Double the recipe'],
      ['Price per month', 'Price per year'],
    ],
  )
  passes([
    ['Keep 7 days of logs', 'keep seven days of logs'],
    ['It costs $1,000', 'it costs 1000 dollars'],
  ])
})

test('a number is read with all of its words', () => {
  refuses(
    ['numbers'],
    [
      ['What is twenty one in binary?', 'What is twenty in binary?'],
      ['List thirty-one uses of salt', 'List thirty uses of salt'],
      ['Name a hundred and one dogs', 'Name a hundred dogs'],
      ['What is one twenty in hex?', 'What is twenty in hex?'],
      ['How long is two trillion seconds?', 'How long is two seconds?'],
    ],
  )
  passes([
    ['Name one river in France', 'Name a river in France'],
    ['What is one hundred in binary?', 'What is a hundred in binary?'],
    ['Is the second one better?', 'Is the second better?'],
  ])
})

test('a letter that is a name counts, and an article does not', () => {
  refuses(
    ['letter', 'definition', 'things'],
    [
      ['usb a cable', 'usb c cable'],
      ['what is usb a', 'what is usb c'],
      ['symptoms of hepatitis a', 'symptoms of hepatitis c'],
      ['symptoms of hepatitis a', 'symptoms of hepatitis'],
      ['vitamin a deficiency', 'vitamin e deficiency'],
      ['is vitamin a good for skin', 'is vitamin good for skin'],
      ['who won serie a', 'who won serie c'],
      ['serie a standings', 'serie c standings'],
      ['tier b cities', 'tier c cities'],
      ['what does plan a, the cheap one, cover', 'what does plan c, the cheap one, cover'],
      ['blood group a is rare', 'blood group b is rare'],
    ],
  )
  passes([
    ['what is a monad', 'what is monad'],
    ['how to delete a branch in git', 'how to delete branch in git'],
    ['how do I plan a trip to Rome', 'how do I plan the trip to Rome'],
    ['grade a paper', 'grade the paper'],
    ['is coffee a drug', 'is coffee drug'],
    ['what does a transaction I see mean', 'what does the transaction that I see mean'],
    ['clothes of the 1980s', "clothes of the 1980's"],
  ])
})

test('a short name that only one side has is another question', () => {
  refuses(
    ['short_name', 'names'],
    [
      ['us visa requirements', 'visa requirements'],
      ['how do I get a us visa', 'how do I get a visa'],
      ['phone number of the it department', 'phone number of the department'],
      ['what does the it department do', 'what does the department do'],
      ['who guidelines on sugar', 'guidelines on sugar'],
      ['what are the who guidelines for salt', 'what are the guidelines for salt'],
      ['When was this first seen in the US?', 'When was this first seen?'],
      ['hr department contact', 'department contact'],
      ['cost of ev charger', 'cost of charger'],
    ],
  )
  passes([
    ['How do I fix my car?', 'How do I repair my car?'],
    ['Can you give us examples of verbs?', 'Can you give me examples of verbs?'],
    ['best way to see my score', 'best way to view my score'],
    ['how does it work', 'how does this work'],
    ['what is the limit of top ups', 'what is the limit of a top up'],
  ])
})

test('one word in another case is another word where its case says what it is', () => {
  refuses(
    ['case'],
    [
      ['What is STEM?', 'What is stem?'],
      ['how much does RAM cost', 'how much does ram cost'],
      ['best US stocks', 'best us stocks'],
      ['who is Pat in the film', 'who is pat in the film'],
      ['Translate: Polish', 'Translate: polish'],
    ].map(([a = '', b = '']) => [a, b] as const),
  )
  passes([
    ['What Is A Monad', 'what is the monad'],
    ['WHAT IS THE KEY OF A TABLE', 'what is the key of a table'],
    ['How do I write JSON?', 'how do i write a json'],
  ])
})

test('the end of a text to work on tells two of them apart', () => {
  refuses(
    ['symbols'],
    [
      ['Translate: you are coming?', 'Translate: you are coming.'],
      ['translate you are coming?', 'translate you are coming'],
      ['Translate to French: I love it 🙄', 'Translate to French: I love it'],
    ],
  )
})

test('advice, a way for several and whether there is one are no way for me', () => {
  refuses(
    ['way'],
    [
      ['How should I cancel my plan?', 'How do I cancel my plan?'],
      ['How do we cancel the plan?', 'How can I cancel the plan?'],
      ['Is there a way to cancel my plan?', 'How to cancel my plan'],
      ['Is there any way to cancel my plan?', 'How should I cancel my plan?'],
    ],
  )
  passes([['How do I cancel my plan?', 'Can you tell me how to cancel my plan?']])
})

test('a negation or an opposite is another question', () => {
  refuses(
    ['negation', 'opposites'],
    [
      ['Why does it compile?', "Why doesn't it compile?"],
      ['Coffee with sugar', 'Coffee without sugar'],
      ['Encode a string', 'Decode a string'],
      ['How do I mute a channel?', 'How do I unmute a channel?'],
      ['Is it thread safe?', 'Is it thread unsafe?'],
      ['Increase the timeout', 'Reduce the timeout'],
      ['Turn the lights on', 'Turn the lights off'],
      ['Advantages of solar power', 'Disadvantages of solar power'],
      ['Make the object mutable', 'Make the object immutable'],
    ],
  )
})

test('another identifier, path, flag or quotation is another question', () => {
  refuses(
    ['identifiers', 'quoted'],
    [
      ['What does useState do?', 'What does useEffect do?'],
      ['Delete /tmp/a', 'Delete /tmp/b'],
      ['What is ls -l?', 'What is ls -a?'],
      ['grep -r in the folder', 'grep -R in the folder'],
      ['Read config.yaml', 'Read config.json'],
      ['Print $HOME', 'Print $PATH'],
      ['Find "cat" in a text', 'Find "dog" in a text'],
    ],
  )
  passes([["What does 'async' mean?", 'What does async mean?']])
})

test('another sign is another question, and so is another case of code', () => {
  refuses(
    ['symbols', 'identifiers', 'quoted'],
    [
      ['What is 6!', 'What is 6?'],
      ['What is (7-2)*3?', 'What is 7-2*3?'],
      ['What is y² of it?', 'What is y of it?'],
      ['What does 🙂 mean?', 'What does 🙃 mean?'],
      ['Whose flag is 🇯🇵?', 'Whose flag is 🇨🇦?'],
      ['What does \\s match?', 'What does \\S match?'],
      ['How do I set $path?', 'How do I set $PATH?'],
      ['What does `Map` do?', 'What does `map` do?'],
      ["What is the code of 'A'?", "What is the code of 'a'?"],
    ],
  )
  passes([['What is 2 + 2 =', 'What is 2 + 2']])
})

test('another language, product or system is another question', () => {
  refuses(
    ['programming_language', 'language', 'product', 'system', 'names', 'identifiers'],
    [
      ['Reverse a string in Java', 'Reverse a string in JavaScript'],
      ['Reverse a string in C', 'Reverse a string in C++'],
      ['Reverse a string in go', 'Reverse a string in rust'],
      ['Reverse a string', 'Reverse a string in Python'],
      ['Translate to Dutch: house', 'Translate to Danish: house'],
      ['Create an index in MySQL', 'Create an index in PostgreSQL'],
      ['Install git on Ubuntu', 'Install git on Fedora'],
    ],
  )
  passes([
    ['Sort a list in js', 'Sort a list in JavaScript'],
    ['Scale a pod on k8s', 'Scale a pod on Kubernetes'],
  ])
})

test('another name is another question', () => {
  refuses(
    ['names', 'place', 'calendar', 'organ_or_kin', 'opposites'],
    [
      ['Who is married to Alice Munro?', 'Who is married to Philip Roth?'],
      ['Capital of Norway', 'Capital of Sweden'],
      ['A card for my mother', 'A card for my uncle'],
      ['Open on Monday?', 'Open on Friday?'],
    ],
  )
})

test('the same words the other way round are another question', () => {
  refuses(
    ['order'],
    [
      ['Convert miles to kilometres', 'Convert kilometres to miles'],
      ['Is tea healthier than coffee?', 'Is coffee healthier than tea?'],
      ['Does the dog chase the fox?', 'Does the fox chase the dog?'],
      ['Merge develop into feature', 'Merge feature into develop'],
      ['Subtract the tax from the price', 'Subtract the price from the tax'],
    ],
  )
  passes([
    ['How do tea and coffee differ?', 'How do coffee and tea differ?'],
    ['How does a stack differ from a queue?', 'How does a queue differ from a stack?'],
    ['Travel from home to work', 'Travel to work from home'],
    ['A tag in the repository', 'A repository tag'],
  ])
})

test('another kind of answer is another question', () => {
  refuses(
    ['question_word'],
    [
      ['When was the bridge built?', 'Where was the bridge built?'],
      ['Who founded the company?', 'When was the company founded?'],
      ['How many people live there?', 'Who lives there?'],
      ['How often should I water it?', 'How much should I water it?'],
    ],
  )
})

test('another preposition or particle before or behind the same word is another question', () => {
  refuses(
    ['preposition', 'particle', 'negation', 'opposites'],
    [
      ['Send money to Ghana', 'Send money from Ghana'],
      ['Import contacts to the phone', 'Import contacts from the phone'],
      ['Can I drink during the fast?', 'Can I drink after the fast?'],
      ['Do I pay before delivery?', 'Do I pay on delivery?'],
      ['Look up a word', 'Look after a word'],
      ['Turn in the paper', 'Turn down the paper'],
    ],
  )
  passes([
    ['Sign in to the shop', 'Sign into the shop'],
    ['Top up the card', 'Top off the card'],
    ['How does a stack differ from a queue?', 'A stack compared to a queue'],
  ])
})

test('another mood or tense is another question', () => {
  refuses(
    ['modality', 'tense'],
    [
      ['Can I eat raw eggs?', 'Should I eat raw eggs?'],
      ['Must I file a return?', 'May I file a return?'],
      ['Do I need a licence to fish?', 'Where do I get a licence to fish?'],
      ['Who will win the cup?', 'Who won the cup?'],
    ],
  )
  passes([
    ['Can I eat raw eggs?', 'Is it possible to eat raw eggs?'],
    ['The door did not open', "The door won't open"],
  ])
})

test('other roles in the same deed are another question', () => {
  refuses(
    ['order', 'person', 'deed', 'organ_or_kin'],
    [
      ['Did Acme buy Globex?', 'Was Acme bought by Globex?'],
      ['What do nurses think about doctors?', 'What do doctors think about nurses?'],
      ['Is a monoid a kind of group?', 'Is a group a kind of monoid?'],
      ['Do you love me?', 'Do I love you?'],
      ['What did you learn?', 'What did I learn?'],
      ['How do I find my phone?', "How do I find someone's phone?"],
      ['How do I delete a file?', 'How do I recover a deleted file?'],
    ],
  )
  passes([
    ['Soup with beans and rice', 'Soup with rice and beans'],
    ['When do you use a map?', 'When do I use a map?'],
  ])
})

test('where a thing is all that is asked about, each of its words counts', () => {
  refuses(
    ['definition', 'kind'],
    [
      ['What is insurance?', 'What is car insurance?'],
      ['What was the plague?', 'What caused the plague?'],
      ['Delete a branch', 'Delete a remote branch'],
    ],
  )
  passes([['What is the meaning of entropy?', 'What is entropy?']])
})

test('another scope, owner or form is another question', () => {
  refuses(
    ['quantifier', 'person', 'form', 'opposites', 'product', 'numbers'],
    [
      ['Show the first line', 'Show the last line'],
      ['Users with at least two roles', 'Users with at most two roles'],
      ['What is my name?', 'What is your name?'],
      ['Answer as a poem', 'Answer as a haiku'],
      ['Explain recursion briefly', 'Explain recursion in detail'],
      ['Return it as XML', 'Return it as CSV'],
      ['The average of the column', 'The median of the column'],
      ['The largest lake', 'The second largest lake'],
      ['Name some kings', 'Name all kings'],
      ['Compare tea and coffee in a table', 'Compare tea and coffee'],
      ['Make a numbered list of lakes', 'Make a list of lakes'],
    ],
  )
  passes([['Reset my password', 'Reset the password']])
})

test('who does it, to whom, and who is asked for', () => {
  refuses(
    ['order'],
    [
      ['Can my tenant evict me?', 'Can I evict my tenant?'],
      ['Can my tenant evict me?', 'Can I be arrested if I evict my tenant?'],
      ['Who mentored Ada?', 'Who did Ada mentor?'],
      ['What is owned by Acme?', 'Who owns Acme?'],
      ['When will my horse stop kicking me?', 'When will I stop kicking my horse?'],
      ['Stop calling my cousin', 'Stop my cousin calling me'],
    ],
  )
  passes([
    ['Why does my dog follow me?', 'Why is my dog following me?'],
    ['I have lost my card, what now?', 'What can I do if my card is lost?'],
    ['Why am I being charged a fee after using my card?', 'Why is a fee being charged to me after using my card?'],
    ['What does Acme own?', 'What is owned by Acme?'],
    ['Which company owns Acme?', 'What company owns Acme?'],
    ['I want a refund for the item I bought', 'I want the item refunded'],
  ])
})

test('which words go together, and by and or by or', () => {
  refuses(
    ['order', 'connective'],
    [
      ['Turn up the heat and turn down the music', 'Turn down the heat and turn up the music'],
      ['Gain speed without losing control', 'Gain control without losing speed'],
      ['A kilo of beef or a pound of pork', 'A pound of beef or a kilo of pork'],
      ['Swim and dive', 'Swim or dive'],
    ],
  )
  passes([
    ['Turn on the light and turn off the fan', 'Turn off the fan and turn on the light'],
    ['A kilo of beef or a pound of pork', 'A pound of pork or a kilo of beef'],
    ['Salt and pepper soup', 'Pepper and salt soup'],
    ['What is better, tea or coffee?', 'Which is better, coffee or tea?'],
    ['The difference between tea and coffee', 'What differs, tea or coffee?'],
    ['What should I eat before a run?', 'Before a run what should I eat?'],
    ['x = a + b', 'x = a + b?'],
  ])
})

test('a word that is spoken of is content', () => {
  refuses(
    ['mentioned'],
    [
      ['Write a for loop', 'Write a while loop'],
      ['What does for mean?', 'What does from mean?'],
      ['When should I use who?', 'When should I use whom?'],
      ['The and gate', 'The or gate'],
    ],
  )
  refuses(['symbols'], [['Set x = a', 'Set x = b']])
  passes([
    ['How do I write a loop in Python?', 'How can I write a loop with Python?'],
    ['Difference between then and than', 'What is the difference between than and then?'],
    ['What is a for loop?', 'How do for loops work?'],
    ['How do I use the printer?', 'How could I use my printer?'],
    ['It is not showing up on the statement', 'It is not shown on my statement'],
  ])
})

test('a word that leaves fewer of a thing counts', () => {
  refuses(
    ['restrictor'],
    [
      ['Ship a phone', 'Ship a broken phone'],
      ['Show unread emails', 'Show only unread emails'],
      ['Population of kansas', 'Population of kansas city'],
    ],
  )
  passes([
    ['A good recipe for pancakes', 'A recipe for pancakes'],
    ['Print only the first line', 'Print just the first line'],
    ['The capital of Chad', 'The capital city of Chad'],
    ['My card was declined', 'My card has been declined'],
  ])
})

test('a Roman number is a number, and a lone capital is none', () => {
  refuses(
    ['numbers'],
    [
      ['Who was King Henry VI?', 'Who was King Henry VIII?'],
      ['What happened in World War II?', 'What happened in World War I?'],
      ['Explain Part IV of the contract', 'Explain Part IX of the contract'],
    ],
  )
  passes([['When can I plant tomatoes?', 'When should I plant tomatoes?']])
})

test.run()
