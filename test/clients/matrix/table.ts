import type { Played } from './play.ts'

/** Rows are clients before vendors, columns are cases. */
export function tableOf(played: readonly Played[]): string {
  const titles = [...new Set(played.map(({ what }) => what.title))]
  const rows = new Map<string, Played[]>()
  for (const cell of played) {
    const row = `${cell.client.name} ${cell.client.version} | ${cell.client.dialect} | ${cell.vendor}`
    rows.set(row, [...(rows.get(row) ?? []), cell])
  }
  return [
    `| client | speaks | vendor | ${titles.join(' | ')} |`,
    `| --- | --- | --- |${' --- |'.repeat(titles.length)}`,
    ...[...rows].map(
      ([row, cells]) =>
        `| ${row} | ${titles.map(title => verdict(cells.filter(({ what }) => what.title === title))).join(' | ')} |`,
    ),
  ].join('\n')
}

function verdict(cells: readonly Played[]): string {
  const [first] = cells
  if (first?.leftOut !== undefined) return '-'
  const failed = cells.filter(({ wrong }) => wrong.length > 0)
  if (failed.length === 0) return 'ok'
  if (failed.length === cells.length) return '**fails**'
  return failed[0]?.stream ? '**fails streamed**' : '**fails whole**'
}

/** What was left out, and why, each once. */
export function leftOut(played: readonly Played[]): string {
  const lines = played.flatMap(({ client, what, leftOut }) =>
    leftOut === undefined ? [] : [`- ${client.name}, ${what.title}: ${leftOut}`],
  )
  const counts = played.flatMap(({ client: { name, miscounts } }) =>
    miscounts === undefined ? [] : [`- ${name}, tokens of streams: ${miscounts}`],
  )
  const thoughts = played.flatMap(({ client: { name, hides } }) =>
    hides === undefined ? [] : [`- ${name}, the words of reasoning: ${hides}`],
  )
  return [...new Set([...lines, ...thoughts, ...counts])].join('\n')
}
