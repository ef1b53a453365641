import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { z } from 'zod'

// What there is to measure with. Splits and keys are those of sources.py.

export const root = fileURLToPath(new URL('../..', import.meta.url))
export const shared = join(resolve(process.env.DEFLECTOR_SHARED ?? join(root, '../shared')), 'data')
const OWN = fileURLToPath(new URL('own', import.meta.url))

export const STREAMS = ['stream_mixed', 'stream_isartor_faq'] as const
/** Changes that leave the question as it is. */
export const HARMLESS = ['case', 'ws', 'punct', 'polite', 'typo']

export type Part = 'train' | 'calibrate' | 'test'

const row = z.object({
  prompt: z.string(),
  intent_id: z.string(),
  also: z.array(z.string()),
  source: z.string(),
  kind: z.string(),
})
/** One request of a labelled stream. */
export type Row = z.infer<typeof row>

/** Two prompts that have one answer, or two. */
export interface Pair {
  readonly one: string
  readonly other: string
  readonly same: boolean
  /** File or source. */
  readonly from: string
  /** How they differ, or the subject. */
  readonly kind: string
}

export const linesOf = (file: string): string[] => {
  const bytes = readFileSync(file)
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').split('\n').filter(Boolean)
}

export const streamRows = (name: string): Row[] =>
  linesOf(join(shared, `semantic/${name}.jsonl`)).map(line => row.parse(JSON.parse(line)))

/** May the answer to one request be served for the other? */
export const isSame = (a: Row, b: Row): boolean =>
  a.intent_id === b.intent_id || a.also.includes(b.intent_id) || b.also.includes(a.intent_id)

function partOf(intent: string): Part {
  const at = Number.parseInt(createHash('sha256').update(intent).digest('hex').slice(0, 8), 16) % 10
  return at < 6 ? 'train' : at < 8 ? 'calibrate' : 'test'
}

const family = z.object({
  q: z.string(),
  same: z.array(z.string()),
  other: z.array(z.tuple([z.string(), z.string()])),
})

/** The pairs of our own question families: of one language by its two letters, else of the English files. */
export function familyPairs(part?: Part, language?: string): Pair[] {
  const files = readdirSync(OWN).filter(name => name.endsWith('.jsonl'))
  const stems = files.map(name => name.slice(0, -'.jsonl'.length)).sort()
  const wanted = stems.filter(stem => (language === undefined ? stem.length !== 2 : stem === language))
  return wanted.flatMap(from =>
    linesOf(join(OWN, `${from}.jsonl`)).flatMap(line => {
      const { q, same, other } = family.parse(JSON.parse(line))
      if (part !== undefined && partOf(q) !== part) return []
      const asked = [q, ...same]
      return asked.flatMap((one, i) => [
        ...asked.slice(i + 1).map(two => ({ one, other: two, same: true, from, kind: 'same' })),
        ...other.map(([kind, trap]) => ({ one, other: trap, same: false, from, kind })),
      ])
    }),
  )
}

/** Two letters each, of the families that are not English. */
export const languages = (): string[] =>
  readdirSync(OWN)
    .filter(name => /^[a-z]{2}\.jsonl$/.test(name))
    .map(name => name.slice(0, 2))

export function tablePairs(part?: Part): Pair[] {
  return (['same', 'traps'] as const).flatMap(from =>
    linesOf(join(OWN, `${from}.tsv`)).flatMap(line => {
      const [kind = '', one = '', other = ''] = line.split('\t')
      if (part !== undefined && partOf(one) !== part) return []
      return [{ one, other, same: from === 'same', from: `${from}.tsv`, kind }]
    }),
  )
}

const developed = z.object({
  a: z.string(),
  b: z.string(),
  same: z.union([z.boolean(), z.number()]),
  source: z.string(),
  cat: z.string().optional(),
})

/** The labelled development pairs. */
export const developmentPairs = (): Pair[] =>
  linesOf(join(shared, 'semantic/pairs.jsonl')).map(line => {
    const { a, b, same, source, cat } = developed.parse(JSON.parse(line))
    return { one: a, other: b, same: Boolean(same), from: source, kind: cat ?? (same ? 'same' : 'different') }
  })

/** Names a pair of corpus lines without holding them: their licences do not let them into the repository. */
export const keyOf = (one: string, other: string): string =>
  createHash('sha256').update([one, other].sort(byCodePoint).join('\n')).digest('hex').slice(0, 16)

/** As Python sorts: UTF-8 has the order of code points. */
const byCodePoint = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** What readers said of hits on fillers, and of hits that a stream labels wrongly: true for one answer. */
export function hitLabels(): ReadonlyMap<string, boolean> {
  const file = join(OWN, 'hit-labels.tsv')
  const lines = existsSync(file) ? linesOf(file) : []
  return new Map(lines.map(line => [line.slice(0, 16), line.split('\t')[1] === '1'] as const))
}

const WORD = /[A-Za-z]+(?:'[a-z]+)?|\d[\d.,:/-]*|[^\sA-Za-z0-9]/gu
const plain = (text: string): string =>
  (text.toLowerCase().match(WORD) ?? []).filter(word => /^[\p{L}\p{N}]/u.test(word)).join(' ')

/** Lines of the open corpus, in its order, that no development stream or pair asks. */
export function corpusLines(): string[] {
  const heldOut = new Set<string>()
  for (const name of STREAMS) for (const { prompt } of streamRows(name)) heldOut.add(plain(prompt))
  for (const { one, other } of developmentPairs()) heldOut.add(plain(one)).add(plain(other))
  return linesOf(join(shared, 'corpus/corpus_open.txt.gz')).filter(
    line => line.includes(' ') && !heldOut.has(plain(line)),
  )
}

/** Pairs of a file, one a line: `same`, with a class or without, or the class of a trap; a prompt; another. */
export const pairsIn = (file: string): Pair[] =>
  linesOf(file).map(line => {
    const [kind = '', one = '', other = ''] = line.split('\t')
    return { one, other, same: /^same\b/.test(kind), from: basename(file), kind }
  })
