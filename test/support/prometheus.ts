/** One line of Prometheus' text format. */
export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*/y
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|})/y
const VALUE = /^ (?:[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN)$/i

/**
 * Reads the text format 0.0.4 strictly: a metric's lines stand together behind its TYPE, no series comes twice, buckets
 * grow and end in +Inf, which equals the count. Throws with the line that is wrong.
 */
export function parsePrometheus(text: string): readonly Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  const types = new Map<string, string>()
  const series = new Set<string>()
  const samples: Sample[] = []
  let family = ''
  for (const line of text.slice(0, -1).split('\n')) {
    const wrong = (why: string): Error => new Error(`${why}: ${line}`)
    const [, kind, name = '', rest = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === 'TYPE') {
      if (types.has(name)) throw wrong('a second TYPE')
      if (!['counter', 'histogram', 'gauge'].includes(rest)) throw wrong('an unknown type')
      types.set(name, rest)
      family = name
    }
    if (kind) continue
    const sample = parseSample(line)
    if (!sample) throw wrong('no sample')
    const { name: full, labels } = sample
    const type = types.get(family)
    const own = type === 'histogram' ? [`${family}_bucket`, `${family}_sum`, `${family}_count`] : [family]
    if (!own.includes(full)) throw wrong(`not behind the TYPE of its metric (${family})`)
    if (type === 'counter' && !full.endsWith('_total')) throw wrong('a counter without _total')
    const key = `${full} ${JSON.stringify(Object.entries(labels).sort())}`
    if (series.has(key)) throw wrong('a series comes twice')
    series.add(key)
    samples.push(sample)
  }
  checkHistograms(samples)
  return samples
}

function parseSample(line: string): Sample | undefined {
  NAME.lastIndex = 0
  const name = NAME.exec(line)?.[0]
  if (name === undefined) return undefined
  const labels: Record<string, string> = {}
  let at = name.length
  if (line[at] === '{') {
    at++
    for (let more = true; more; ) {
      LABEL.lastIndex = at
      const [whole, label = '', value = '', then] = LABEL.exec(line) ?? []
      if (whole === undefined || label in labels) return undefined
      labels[label] = value.replace(/\\(["\\n])/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped))
      at += whole.length
      more = then === ','
    }
  }
  const value = line.slice(at)
  return VALUE.test(value) ? { name, labels, value: Number(value.replace('Inf', 'Infinity')) } : undefined
}

function checkHistograms(samples: readonly Sample[]): void {
  const last = new Map<string, { le: number; value: number }>()
  for (const { name, labels, value } of samples) {
    const { le, ...others } = labels
    const key = JSON.stringify([name.replace(/_(?:bucket|count)$/, ''), others])
    if (le !== undefined) {
      const bound = Number(le.replace('Inf', 'Infinity'))
      const before = last.get(key) ?? { le: Number.NEGATIVE_INFINITY, value: 0 }
      if (bound <= before.le || value < before.value) throw new Error(`buckets shrink: ${key}`)
      last.set(key, { le: bound, value })
    } else if (name.endsWith('_count')) {
      const end = last.get(key)
      if (end?.le !== Number.POSITIVE_INFINITY || end.value !== value) throw new Error(`+Inf is not the count: ${key}`)
    }
  }
}
