import { fact } from '../analysis.ts'
import type { Guard } from './guard.ts'
import { sameSet } from './guard.ts'

/** How the answer shall look: its form, its length, its reader. Words of a row mean the same. */
const ROWS = [
  'json',
  'yaml',
  'csv',
  'xml',
  'html',
  'markdown',
  'latex',
  'bullet bullets bulleted',
  'table tabular',
  'paragraph paragraphs',
  'essay',
  'poem poetry verse',
  'haiku',
  'sonnet',
  'limerick',
  'song lyrics',
  'story tale narrative',
  'email mail',
  'letter',
  'tweet',
  'blog',
  'speech',
  'script',
  'dialogue dialog conversation',
  'joke',
  'riddle',
  'recipe',
  'resume cv',
  'short brief briefly concise concisely succinct succinctly shortly',
  'detail detailed details depth comprehensive thorough thoroughly in-depth extensively',
  'long lengthy',
  'simple simply eli5 layman plain',
  'beginner beginners newbie',
  'expert experts advanced',
  'formal formally',
  'informal casual casually',
  'funny humorous',
  'example examples',
  'step steps',
  'summary summarize summarise tldr',
  'outline',
  'diagram',
  'oneliner one-liner',
  'class',
  'function',
  'query',
  'regex',
  'test tests',
  'analogy metaphor',
  'pros advantages benefits',
  'cons disadvantages drawbacks',
  'readme',
  'license',
  'docstring',
  'comment comments',
  'dockerfile',
  'command commands',
]
/** What may be a thing elsewhere is a form here. */
const SHAPES = new Map([
  [
    'table',
    new Map([
      ['in', 'as table'],
      ['as', 'as table'],
    ]),
  ],
  ['list', new Map([['numbered', 'numbered']])],
  ['steps', new Map([['in', 'in steps']])],
])
const ROW_OF = new Map(ROWS.flatMap(row => row.split(' ').map(word => [word, row] as const)))
/** What a prompt may leave unsaid: `which command lists files`, `how to list files`. */
const UNSAID = new Set([
  'simple simply eli5 layman plain',
  'command commands',
  'step steps',
  'example examples',
  'test tests',
  'class',
  'table tabular',
  'query',
  'function',
  'comment comments',
  'script',
  'email mail',
  'letter',
  'blog',
  'long lengthy',
  'detail detailed details depth comprehensive thorough thoroughly in-depth extensively',
])

/** Output form and length words: they must be asked for on both sides. */
export const form: Guard = (a, b) => {
  const left = forms(a)
  const right = forms(b)
  if (sameSet(left, right)) return undefined
  const only = [...[...left].filter(one => !right.has(one)), ...[...right].filter(one => !left.has(one))]
  const bothDiffer = [...left].some(one => !right.has(one)) && [...right].some(one => !left.has(one))
  return bothDiffer || only.some(one => !UNSAID.has(one)) ? 'form' : undefined
}

const forms = fact(({ tokens }) => {
  const found = new Set<string>()
  for (const [i, { kind, text }] of tokens.entries()) {
    if (kind !== 'word') continue
    const row = SHAPES.get(text)?.get(tokens[i - 1]?.text ?? '') ?? ROW_OF.get(text)
    if (row !== undefined) found.add(row)
  }
  return found
})
