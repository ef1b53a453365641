import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { canonicalText } from '../../../../plugins/models/pair/canonical.ts'
import { factsOf } from '../../../../plugins/models/pair/facts.ts'
import { parse } from '../../../../plugins/models/pair/reading.ts'
import { refusalOf } from '../../../../plugins/models/pair/rules.ts'

type Pairs = readonly (readonly [string, string])[]

const refusal = (a: string, b: string): string | undefined => refusalOf(factsOf(a), factsOf(b))
const key = (text: string): string => canonicalText(parse(text))
const bothWays = (pairs: Pairs): Pairs => pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const])

/** Refused, and under two keys. */
const refuses = (rule: string, pairs: Pairs): void => {
  for (const [a, b] of bothWays(pairs)) {
    assert.is(refusal(a, b), rule, `${a} | ${b}`)
    assert.is.not(key(a), key(b), `${a} | ${b}`)
  }
}
/** Left to the model, or to one key. */
const allows = (pairs: Pairs): void => {
  for (const [a, b] of bothWays(pairs)) assert.is(refusal(a, b), undefined, `${a} | ${b}`)
}
const joins = (pairs: Pairs): void => {
  for (const [a, b] of pairs) assert.is(key(a), key(b), `${a} | ${b}`)
}

test('a cause and its effect that have changed places are refused', () => {
  refuses('order', [
    ['Does eating late make me sleep badly?', 'Does sleeping badly make me eat late?'],
    ['Is low morale the cause of high turnover?', 'Is high turnover the cause of low morale?'],
    ['Do tight budgets lead to bad software?', 'Does bad software lead to tight budgets?'],
    ['Is my insomnia due to my new job?', 'Is my new job due to my insomnia?'],
    ['Are wars caused by poverty?', 'Is poverty caused by wars?'],
    ['Why does a full disk make the server hang?', 'Why does the hanging server make the disk full?'],
    ['Do slow queries cause high CPU on the database?', 'Does high CPU on the database cause slow queries?'],
    ['Why do memory leaks make the pod restart?', 'Why does the pod restarting make memory leak?'],
    ['Is my back pain the reason I sleep badly?', 'Is sleeping badly the reason for my back pain?'],
    ['Is my anxiety the reason I drink coffee?', 'Is drinking coffee the reason for my anxiety?'],
    ['Does exercise make people happy?', 'Does being happy make people exercise?'],
    ['Can hair loss lead to stress?', 'Can hair loss result from stress?'],
    ['Do I cough because I smoke?', 'Do I smoke because I cough?'],
    ['Is my rash due to stress?', 'Is my stress due to a rash?'],
    ['Does poverty cause crime?', 'Is poverty caused by crime?'],
    ['Is debt a result of inflation?', 'Is inflation a result of debt?'],
    ['Is stress the cause of my headaches?', 'Are my headaches the cause of stress?'],
    ['Does a bug in the parser trigger the crash?', 'Does the crash trigger a bug in the parser?'],
    ['Does insomnia lead to depression?', 'Does depression lead to insomnia?'],
    ['Am I tired because I eat late?', 'Do I eat late because I am tired?'],
    ['Is deforestation a consequence of floods?', 'Are floods a consequence of deforestation?'],
    ['Does running influence mood?', 'Is running influenced by mood?'],
  ])
})

test('the same cause of the same effect is not, in whatever words', () => {
  allows([
    ['Does vitamin D deficiency cause fatigue?', 'Can fatigue be caused by vitamin D deficiency?'],
    ['Why does my laptop make noise when charging?', 'When charging, why does my laptop make noise?'],
    ['What is the reason for seasons on Earth?', 'Why are there seasons on Earth?'],
    ['Is the sky blue because of scattering?', 'Is scattering the reason why the sky is blue?'],
    ['Do cookies affect site speed?', 'Is site speed affected by cookies?'],
    ["I can't log in because I forgot my password", "I forgot my password so I can't log in"],
    ['How can I make my bread rise faster?', 'How do I make bread rise faster'],
    [
      'The build fails due to a missing file, how do I fix it?',
      'How do I fix a build that fails because of a missing file?',
    ],
    ['Explain the reason for the French Revolution', "explain the French Revolution's reason"],
    ['Does a VPN make internet slower?', 'Is internet slower because of a VPN?'],
    ['Which foods make migraines worse?', 'Which foods trigger migraine'],
    ['Does smoking cause lung cancer?', 'Is smoking a cause of lung cancer?'],
    ['Does smoking cause lung cancer?', 'Can lung cancer be caused by smoking?'],
    ['What causes thunder?', 'What is thunder caused by?'],
    ['Why does caffeine make me anxious?', 'Why am I anxious after caffeine?'],
    ['How does sleep affect weight?', 'What is the effect of sleep on weight?'],
    ['Does stress lead to hair loss?', 'Can hair loss result from stress?'],
    ['Does stress cause hair loss?', 'Is hair loss a result of stress?'],
    ['Is my back pain the reason I sleep badly?', 'Do I sleep badly because of my back pain?'],
    ['Why do memory leaks make the pod restart?', 'Why does a memory leak make a pod restart?'],
    ['Does high CPU cause slow queries?', 'Can slow queries be caused by high CPU?'],
    ['Because of inflation, do interest rates rise?', 'Do interest rates rise because of inflation?'],
    ['How do I make cheese from milk?', 'How is cheese made from milk?'],
    ['What makes bread rise?', 'Why does bread rise?'],
    ['What triggers garbage collection in Java?', 'When is garbage collection triggered in Java?'],
    ['Which effect does inflation have on savings?', 'How does inflation affect savings?'],
    ['Does dust trigger asthma?', 'Can asthma be triggered by dust?'],
    ['Does the app crash because of low memory?', 'Is low memory the reason the app crashes?'],
    ['Does poor sleep result from stress?', 'Does stress result in poor sleep?'],
    ['Can I use almond flour to make macarons?', 'Can macarons be made with almond flour?'],
    ['Is my rash due to the new soap?', 'Does the new soap cause my rash?'],
    ['My app crashes, why? I use docker.', 'I use docker. Why does my app crash?'],
    ['Is coffee bad for sleep because of caffeine?', 'Does caffeine make coffee bad for sleep?'],
    ['With a knife, how do I make a hole in leather?', 'How do I make a hole in leather with a knife?'],
    ['Should I sand a wall before painting it?', 'Before painting a wall, should I sand it?'],
    ['What effect does salt have on ice?', 'How does salt affect ice?'],
    ['How do I make my dog stop barking?', 'How can I make my dog stop its barking?'],
    ['Did a bug in the kernel cause the outage?', 'Was the outage caused by a bug in the kernel?'],
    ['list files in a folder sorted by size', 'sorted by size, list files in a folder'],
    ['show the ten largest files in a folder', 'in a folder show the ten largest files'],
    ['Do long meetings make people tired?', 'Are people tired because of long meetings?'],
    ['Can stress make you sick?', 'Can you get sick because of stress?'],
  ])
})

test('as much and more are told apart', () => {
  refuses('degree', [
    ['Is a used car as safe as a new one?', 'Is a used car safer than a new one?'],
    ['Does decaf have as much acid as coffee?', 'Does decaf have less acid than coffee?'],
    ['Is Oslo as cold as Moscow?', 'Is Oslo colder than Moscow?'],
    ['Is a cheap mattress as good as an expensive one?', 'Is a cheap mattress better than an expensive one?'],
    ['Is Rust as fast as C?', 'Is Rust faster than C?'],
    ['Is a vegan diet as healthy as a normal one?', 'Is a vegan diet healthier than a normal one?'],
    ['Is generic ibuprofen as strong as the brand?', 'Is generic ibuprofen stronger than the brand?'],
    ['Does tea have as much caffeine as coffee?', 'Does tea have more caffeine than coffee?'],
    ['Is a scooter less safe than a bike?', 'Is a scooter as safe as a bike?'],
  ])
})

test('other words with `as` and `than` are no degrees', () => {
  allows([
    ['Is Rust as fast as C?', 'is rust really as fast as c'],
    ['Is Rust as fast as C?', 'Does Rust have the same speed as C?'],
    ['find files larger than 10MB', 'find files more than 10MB in size'],
    ['How do I deploy as soon as possible?', 'how do i deploy sooner rather than later'],
    ['Does tea have more caffeine than coffee?', 'Is there more caffeine in tea than in coffee?'],
    [
      'How do I use Docker as well as Podman on more than one host?',
      'Docker as well as Podman on more than one host, how?',
    ],
    ['As far as I know, is iron heavier than tin?', 'Is iron heavier than tin?'],
    ['Can I sell more than one item as long as I pay tax?', 'May I sell more than one item if I pay tax?'],
    ['Is a cheap mattress as good as an expensive one?', 'Are cheap mattresses as good as expensive ones?'],
    ['Is it cheaper to rent than to buy?', 'Is renting cheaper than buying?'],
    ['Does generic ibuprofen work as well as the brand?', 'Is generic ibuprofen as effective as the brand?'],
    [
      'delete files older than a week as soon as the disk is full',
      'once the disk is full, delete files older than a week',
    ],
    ['Is a plum sweeter than a pear?', 'Is a plum more sweet than a pear?'],
    ['Are there as many women as men in Japan?', 'Does Japan have as many women as men?'],
    ['Who earns more than a nurse?', 'Which jobs pay more than nursing?'],
    ['Run tar as root as well as dd', 'run tar and dd as root'],
    ['Other than bread, what has more gluten than pasta?', 'Besides bread, what has more gluten than pasta?'],
    ['Is Python as popular as Java is?', 'is python as popular as java'],
  ])
})

test('how often and how much are told apart', () => {
  refuses('numbers', [
    ['Can I take ibuprofen three times a day?', 'Can I take three times the ibuprofen a day?'],
    ['Should I water cacti twice a week?', 'Should I give cacti twice the water a week?'],
    ['Is it safe to take paracetamol twice a day?', 'Is it safe to take twice the dose of paracetamol a day?'],
    ['aspirin twice a day', 'a double dose of aspirin a day'],
    ['Is it OK to take iron twice a day?', 'Is it OK to take twice the iron a day?'],
    ['Should I feed it three times a day?', 'Should I feed it three times the amount a day?'],
  ])
})

test('one number of times has several spellings, and so has a factor', () => {
  allows([
    ['Is it safe to take paracetamol twice a day?', 'Is it safe to take paracetamol two times a day?'],
    ['Water the plants twice weekly', 'Water the plants two times a week'],
    ['Brush teeth twice daily', 'Brush teeth twice a day'],
    ['How do I ping a host twice?', 'How do I ping a host two times?'],
    ['Is it OK to eat twice the sugar?', 'Is it ok to eat double the sugar?'],
    ['Is gold twice as heavy as lead?', 'is gold two times as heavy as lead'],
    ['Can I vote twice in one election?', 'Can I vote two times in one election?'],
    ['How many people get flu twice a year?', 'How many people get flu twice per year?'],
    ['feed the cat thrice a day', 'feed the cat three times a day'],
    ['Should I run a test twice?', 'should i run a test 2 times'],
    ['Why does my script run twice?', 'Why is my script run twice?'],
    ['Is 3x the price fair?', 'Is three times the price fair?'],
    ['Can you get covid twice this winter?', 'Can you get covid two times this winter?'],
    ['double the recipe', 'twice the recipe'],
    ['Can I exercise twice each day?', 'Can I exercise 2 times each day?'],
    ['is earning twice my salary likely', 'is earning double my salary likely'],
    ['wash hair twice every week', 'wash hair 2x every week'],
    ['Which planet is twice the size of Mars?', 'Which planet is 2x the size of Mars?'],
    ['Call a function twice at once', 'Call a function two times at once'],
    ['Is twice-daily aspirin safe?', 'Is twice daily aspirin safe?'],
  ])
})

test('words of manners that are asked about are told apart', () => {
  refuses('manners', [
    ['What is the Greek word for hello?', 'What is the Greek word for goodbye?'],
    ["What's Swahili for thank you?", "What's Swahili for please?"],
    ['Would it be rude to write could you please move?', 'Would it be rude to write could you move?'],
    ['What is the French for sorry?', 'What is the French for thanks?'],
    ['Is it rude to say please hurry?', 'Is it rude to say hurry?'],
    ['What is the Japanese word for please?', 'What is the Japanese word for thanks?'],
    ['What is the French word for hello?', 'What is the French word for thank you?'],
    ['What is the Italian word for sorry?', 'What is the Italian word for please?'],
    ['What is the Arabic word for please?', 'What is the Arabic word for hello?'],
    ['What is the Turkish word for thanks?', 'What is the Turkish word for sorry?'],
    ['Write a poem about the word please', 'Write a poem about the word thanks'],
    ['What is Japanese for please?', 'What is Japanese for thanks?'],
    ['How do you say please in Thai?', 'How do you say thank you in Thai?'],
    ['What does the word sorry mean in German slang?', 'What does the word hello mean in German slang?'],
  ])
})

test('words of manners that only beg or thank are not', () => {
  allows([
    ['What is the Japanese word for please?', 'How do you say please in Japanese?'],
    ['How do you say thank you in Dutch?', 'Say thank you in Dutch'],
    ['What does this word mean? Please explain.', 'What does this word mean? Explain.'],
    ['Define entropy please', 'define entropy'],
    ['Sort a list and please explain the code', 'Sort a list and explain the code'],
    ['Write hello world in C', 'Write a hello world program in C'],
    ['what is the italian word for thanks', 'What is the Italian word for "thanks"?'],
    ['Kindly define osmosis', 'Define osmosis'],
  ])
  joins([
    ['What is the Japanese word for cat, please?', 'What is the Japanese word for cat?'],
    ['Could you please tell me the French word for dog?', 'Tell me the French word for dog'],
    ['Please write a poem about the sea', 'Write a poem about the sea'],
    ['What is the meaning of serendipity? Thanks!', 'What is the meaning of serendipity?'],
    ['Translate the word hello to Spanish please', 'Translate the word hello to Spanish'],
    ['Hello, how do I spell necessary?', 'How do I spell necessary?'],
    ['Give me a synonym of happy, thank you', 'Give me a synonym of happy'],
    ['Please, what is the meaning of life?', 'What is the meaning of life?'],
    ['I am lost. Could you please help me fix this?', 'I am lost. Could you help me fix this?'],
    ['Can you please spell banana?', 'Can you spell banana?'],
    ['Hi, what is a synonym for big?', 'what is a synonym for big'],
    ['How many letters are in the word cat? Thank you', 'How many letters are in the word cat?'],
  ])
})

test('a text behind a question about its manners, lines or spaces stays as it was written', () => {
  refuses('given_text', [
    ['Does this sound too blunt? Send me the file', 'Does this sound too blunt? Please send me the file'],
    ['Is this email professional? Hi Tom, send it', 'Is this email professional? Tom, send it'],
    ['How does this read? We must decline, sorry', 'How does this read? We must decline, thanks'],
    ['Does this poem have four lines? a b\nc d', 'Does this poem have four lines? a b c d'],
    ['Which is politer, give me tea or please give me tea?', 'Which is politer, please give me tea or give me tea?'],
    ['Are there extra spaces in this title:  My  Book', 'Are there extra spaces in this title: My Book'],
    ['Is the following too rude? Please go away', 'Is the following too rude? Go away'],
    ['Rate how polite this is. Could you please move', 'Rate how polite this is. Could you move'],
    ['Tell me if this is rude. Could you please move', 'Tell me if this is rude. Could you move'],
    ['Is this rude? Could you move', 'Is this rude? Could you please move'],
    [
      'Is this too rude for a customer? We can not help you',
      'Is this too rude for a customer? We can not help you, thank you',
    ],
    [
      'Which is more polite, can you help me or can you please help me?',
      'Which is more polite, can you please help me or can you help me?',
    ],
    [
      'Does my poem have two lines? roses are red\nviolets are blue',
      'Does my poem have two lines? roses are red violets are blue',
    ],
    ['Is there a double space in this sentence  here?', 'Is there a double space in this sentence here?'],
    ['Does this sound friendly? Thanks, see you', 'Does this sound friendly? see you'],
    ['Are there two spaces between these words: a  b', 'Are there two spaces between these words: a b'],
    ['Does this look rude? Could you move', 'Does this look rude? Could you please move'],
    ['Is this rude, could you move', 'Is this rude, could you please move'],
    ['Hi, is this rude? Could you move', 'Hi, is this rude? Could you please move'],
    [
      'Which sentence is more polite, can you help me or can you please help me?',
      'Which sentence is more polite, can you please help me or can you help me?',
    ],
    ['How does this sound? We can not help you', 'How does this sound? We can not help you, thank you'],
    ['Which of these is ruder? sit down or please sit down', 'Which of these is ruder? sit down or sit down'],
    ['Is my email polite? Could you please send it', 'Is my email polite? Could you send it'],
    ['Does this haiku have three lines? a\nb\nc', 'Does this haiku have three lines? a\nb c'],
    ['How many spaces are in this line: a  b', 'How many spaces are in this line: a b'],
    ['Are there trailing spaces in my text? a  b', 'Are there trailing spaces in my text? a b'],
  ])
})

test('a question that hands over no text does not care for manners and spaces', () => {
  allows([
    ['Which word rhymes with sea? Please explain.', 'Which word rhymes with sea? explain'],
    ['Find a file which has spaces, please, and rename it', 'Find a file which has spaces, and rename it'],
  ])
  joins([
    ['Is this plant toxic? Please identify it.', 'Is this plant toxic? Identify it.'],
    ['Does my car need new tyres? Could you please advise?', 'Does my car need new tyres? Could you advise?'],
    ['How do I remove duplicate lines in this file, please?', 'How do I remove duplicate lines in this file?'],
    [
      'What is a formal greeting in Korean? Please answer briefly.',
      'What is a formal greeting in Korean? Answer briefly.',
    ],
    ['How do I write a formal email to my boss? Thanks', 'How do I write a formal email to my boss?'],
    [
      'My app shows an error, which is strange. Could you please help?',
      'My app shows an error, which is strange. Could you help?',
    ],
    [
      'These shoes are too formal. Could you please suggest others?',
      'These shoes are too formal. Could you suggest others?',
    ],
    ['Is this a casual restaurant? Could you please check?', 'Is this a casual restaurant? Could you check?'],
    ['I am lost. Could you please help me fix this?', 'I am lost. Could you help me fix this?'],
    ['This fails. Can you please explain why?', 'This fails. Can you explain why?'],
    ['My build fails. Please explain why.', 'My build fails. explain why'],
    ['Why is this line red? Please explain.', 'Why is this line red? Explain.'],
    ['My order is late. What should I do?', 'my order is  late.  What should I do'],
    ['Is it polite to tip in Japan?', 'is it  polite to tip in japan'],
    ['Is it rude to stare? Please explain.', 'Is it rude to stare? Explain.'],
    ['How do I add a space between words?', 'how do i add a space between words'],
    ['How do I remove blank lines from a file?', 'How do I remove blank lines from a file, please?'],
    ['What is a polite way to say no? Thanks!', 'What is a polite way to say no?'],
    ['Which is faster, a car or a train?', 'which is  faster, a car or a train, please'],
    ['Which is heavier, lead or gold?', 'which is heavier, lead or gold? thanks'],
    [
      'This is my first app. Could you please tell me how to test it?',
      'This is my first app. Could you tell me how to test it?',
    ],
    ['My screen is black. Can you please help?', 'My screen is black. Can you help?'],
    ['Does this phone have two cameras? Please tell me.', 'Does this phone have two cameras? Tell me.'],
    ['Is this a bug? Could you please explain?', 'Is this a bug? Could you explain?'],
    ['How many lines does a sonnet have?', 'how many lines does a sonnet  have'],
    ['Is there a double room in this hotel?', 'is there a double  room in this hotel'],
    ['Do these pills expire? Please let me know.', 'Do these pills expire? let me know.'],
    ['What is the tone of a clarinet? Thanks.', 'What is the tone of a clarinet?'],
    ['Are these shoes formal? Could you please tell me?', 'Are these shoes formal? Could you tell me?'],
    ['Is my dog rude? Please advise.', 'Is my dog rude? Advise.'],
    [
      'How do I remove the lines with spaces, tabs and dots, please?',
      'How do I remove the lines with spaces, tabs and dots?',
    ],
    ['How do I correct this in bash, please?', 'How do I correct this in bash?'],
    ['Does this shop sell hats? Could you please check?', 'Does this shop sell hats? Could you check?'],
    ['Are these the right shoes for a formal dinner? Thanks!', 'Are these the right shoes for a formal dinner?'],
    ['Is this correct English? Thanks a lot!', 'Is this correct English?'],
    ['Is this correct, please?', 'Is this correct?'],
  ])
})

test('words of manners count where the manners of a text before the question are asked about', () => {
  refuses('manners', [
    ['Could you please move. Is that rude?', 'Could you move. Is that rude?'],
    ['Please sit down. Is this polite?', 'Sit down. Is this polite?'],
    [
      'We can not help you, thank you. Is this too rude for a customer?',
      'We can not help you. Is this too rude for a customer?',
    ],
    ['Could you please move, is that rude?', 'Could you move, is that rude?'],
    [
      'I wrote to my boss that he should please pay me. Does that sound polite?',
      'I wrote to my boss that he should pay me. Does that sound polite?',
    ],
  ])
  allows([
    ['My boss never greets me. Is that rude?', "My boss doesn't greet me. Is that rude?"],
    ['Thanks! How do I write a polite email?', 'How do I write a polite email?'],
  ])
  joins([
    ['Hi, is it rude to leave early? Please explain.', 'is it rude to leave early? Explain.'],
    ['I am lost. Could you please tell me where I am?', 'I am lost. Could you tell me where I am?'],
    ['I like that polite dog. Could you please name it?', 'I like that polite dog. Could you name it?'],
    ['Please tell me how to be polite in Japan', 'Tell me how to be polite in Japan'],
  ])
})

test.run()
