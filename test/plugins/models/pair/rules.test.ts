import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { factsOf } from '../../../../plugins/models/pair/facts.ts'
import { RULES, refusalOf } from '../../../../plugins/models/pair/rules.ts'

const refusal = (a: string, b: string): string | undefined => refusalOf(factsOf(a), factsOf(b))

for (const { id, harmful, harmless, agrees } of RULES)
  test(`${id} refuses and lets through what its row says, both ways round`, () => {
    assert.ok(harmful.length > 0 && harmless.length > 0)
    for (const [one, other] of harmful)
      for (const [a, b] of [
        [one, other],
        [other, one],
      ] as const)
        assert.not.ok(agrees(factsOf(a), factsOf(b)), `${a} | ${b}`)
    for (const [one, other] of harmless)
      for (const [a, b] of [
        [one, other],
        [other, one],
      ] as const)
        assert.is(refusal(a, b), undefined, `${a} | ${b}`)
  })

test('no prompt differs from itself', () => {
  for (const { harmful, harmless } of RULES)
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
