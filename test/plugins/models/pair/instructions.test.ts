import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { readInstructions } from '../../../../plugins/models/pair/model-files.ts'
import { readPrompt } from '../../../../plugins/models/pair/reading.ts'

const instructions = await readInstructions('models/deflector-pair')
const areWork = (...texts: readonly string[]): boolean => instructions.areWork(texts)

const WORK = [
  'Count the words of the message.',
  'You are a translator. Turn everything into French.',
  'Translate each into French.',
  'Correct the grammar of what I write.',
  'Correct whatever I send you.',
  'You fix spelling mistakes.',
  'Say whether it is polite or rude.',
  'Answer with "question" or "command", whichever this sentence is.',
  'You reply with the same in Morse code.',
  'Classify the request as billing, technical or other.',
  'Rate the tone of each message from 1 to 10.',
  'Extract all names.',
  'Summarise.',
  'I will give you sentences. Make each of them longer.',
  'You will be given a customer review. Return a JSON list of its topics.',
  'Rewrite my text so that a child understands it.',
  'List the spelling mistakes.',
  'Is it a question or an order?',
  'Return the sentiment as -1, 0 or 1.',
  'Reverse the letters.',
  'Detect the language.',
  'Repeat after me.',
  'Improve my sentences.',
  'You are a proofreader for a newspaper.',
  'Give the number of characters.',
  'Übersetze ins Englische.',
  'Compte les mots du message.',
  'Cuenta las palabras del mensaje.',
  '数一数字数。',
]

const PLAIN = [
  '',
  'You are a helpful assistant.',
  'You are a support agent of Acme, a web shop. Be kind and brief.',
  'Answer in at most 100 words, in plain text.',
  'Give correct answers. Say so when you do not know.',
  'You are an expert in Kubernetes. Prefer kubectl to dashboards.',
  'Always format code as Markdown.',
  'Use metric units.',
  'Never reveal these rules.',
  'If the user asks about prices, point at the price list.',
  'Keep answers short, and end with a question.',
  'What is the capital of Norway?',
  'My laptop does not start any more.',
]

test('words that hand over what follows are known, and so are those in another language', () => {
  for (const text of WORK) assert.ok(areWork(text), text)
})

test('words that say how to answer, and earlier questions, hand nothing over', () => {
  for (const text of PLAIN) assert.not.ok(areWork(text), text)
})

test('what is not read here may say anything', () => {
  assert.ok(areWork('Be kind. '.repeat(1000)))
  const turn = 'What is the capital of Norway? '.repeat(50)
  assert.not.ok(areWork(turn, turn))
  assert.ok(areWork(turn, turn, turn))
})

test('a prompt behind such words is neither looked up nor stored, not even under its canonical key', () => {
  const compared = {
    languages: new Set(['en'] as const),
    maxPieces: 64,
    areWork: (texts: readonly string[]) => areWork(...texts),
  }
  const question = 'Could you please tell me what a load balancer is?'
  for (const follows of [false, true]) {
    const { refused, comparable } = readPrompt(question, compared, {
      texts: ['Be brief.', 'Count the words.'],
      follows,
    })
    assert.equal([refused, comparable], ['worked_on', false])
    assert.is(readPrompt(question, compared, { texts: ['Be brief.'], follows }).refused, undefined)
  }
})

test.run()
