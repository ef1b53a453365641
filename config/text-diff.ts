/** Unchanged lines around each change. */
const CONTEXT = 3
/** Beyond this many lines on both sides, what differs is said as a whole. */
const MOST_PAIRS = 4_000_000

/** A line that stays (` `), goes (`-`) or comes (`+`); `from` and `to` are its places, from 0. */
interface Step {
  readonly sign: ' ' | '-' | '+'
  readonly from: number
  readonly to: number
}

/**
 * A unified diff of two texts by their lines, without the names of files; empty where they are equal. `shown` are the same
 * lines as they may be read.
 */
export function unifiedDiff(
  before: readonly string[],
  after: readonly string[],
  shown: { readonly before: readonly string[]; readonly after: readonly string[] } = { before, after },
): string {
  const steps = stepsOf(before, after)
  const changes = steps.flatMap(({ sign }, at) => (sign === ' ' ? [] : [at]))
  const hunks: { first: number; last: number }[] = []
  for (const at of changes) {
    const hunk = hunks.at(-1)
    if (hunk && at - hunk.last <= 2 * CONTEXT) hunk.last = at
    else hunks.push({ first: at, last: at })
  }
  return hunks
    .map(({ first, last }) => hunkText(steps.slice(Math.max(0, first - CONTEXT), last + CONTEXT + 1), shown))
    .join('')
}

function hunkText(
  steps: readonly Step[],
  { before, after }: { readonly before: readonly string[]; readonly after: readonly string[] },
): string {
  const [{ from, to } = { from: 0, to: 0 }] = steps
  const removed = steps.filter(({ sign }) => sign !== '+').length
  const added = steps.filter(({ sign }) => sign !== '-').length
  const lines = steps.map(({ sign, from, to }) => `${sign}${(sign === '+' ? after[to] : before[from]) ?? ''}\n`)
  return `@@ -${range(from, removed)} +${range(to, added)} @@\n${lines.join('')}`
}

const range = (from: number, count: number): string => `${count === 0 ? from : from + 1},${count}`

function stepsOf(before: readonly string[], after: readonly string[]): Step[] {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  const most = Math.min(before.length, after.length) - head
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  const same = (count: number, from: number, to: number): Step[] =>
    Array.from({ length: count }, (_, at) => ({ sign: ' ', from: from + at, to: to + at }))
  return [
    ...same(head, 0, 0),
    ...middle(before.slice(head, before.length - tail), after.slice(head, after.length - tail), head),
    ...same(tail, before.length - tail, after.length - tail),
  ]
}

/** By the longest common sequence of lines. */
function middle(before: readonly string[], after: readonly string[], offset: number): Step[] {
  const [rows, columns] = [before.length, after.length]
  const wide = columns + 1
  // Longest common sequence of what is left from each pair of places on.
  const longest = rows * columns > MOST_PAIRS ? undefined : new Uint32Array((rows + 1) * wide)
  const at = (row: number, column: number): number => longest?.[row * wide + column] ?? 0
  for (let row = rows - 1; longest && row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      longest[row * wide + column] =
        before[row] === after[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const steps: Step[] = []
  let [row, column] = [0, 0]
  while (row < rows || column < columns) {
    const place = { from: offset + row, to: offset + column }
    if (longest && row < rows && column < columns && before[row] === after[column]) {
      steps.push({ sign: ' ', ...place })
      row++
      column++
    } else if (row < rows && (column === columns || at(row + 1, column) >= at(row, column + 1))) {
      steps.push({ sign: '-', ...place })
      row++
    } else {
      steps.push({ sign: '+', ...place })
      column++
    }
  }
  return steps
}
