import type { Measured } from './semantic-report.ts'

const COLOURS = ['#1b7837', '#d95f02', '#666666', '#7570b3']
const PANEL = { width: 380, height: 260, left: 60, top: 40, gap: 50 }

interface Point {
  readonly variant: string
  readonly hits: number
  readonly wrong: number
  readonly range: readonly [number, number]
}

/** One panel a stream: hits upwards, false hits to the right with their intervals, both in percent of the requests. */
export function hitsChart(measured: readonly Measured[]): string {
  const files = measured[0]?.streams.map(({ file }) => file) ?? []
  const width = PANEL.left + files.length * (PANEL.width + PANEL.gap)
  const bottom = PANEL.top + PANEL.height
  const legend = measured.map(({ variant }, i) => {
    const y = bottom + 62 + i * 18
    return `<circle cx="${PANEL.left + 6}" cy="${y - 4}" r="5" fill="${colour(i)}"/>${text(PANEL.left + 18, y, variant)}`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom + 62 + measured.length * 18}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    ...files.map((file, i) => panel(PANEL.left + i * (PANEL.width + PANEL.gap), file, measured)),
    ...legend,
    '</svg>',
    '',
  ].join('\n')
}

function panel(left: number, file: string, measured: readonly Measured[]): string {
  const points = measured.flatMap(({ variant, streams }): Point[] => {
    const all = streams.find(one => one.file === file)?.all
    if (!all || all.n === 0) return []
    const wrong = all.false_hits_of_requests_pct ?? 0
    return [{ variant, hits: all.hit_pct ?? 0, wrong, range: all.false_hits_ci95 ?? [wrong, wrong] }]
  })
  const most = {
    x: roundUp(Math.max(1, ...points.map(({ range }) => range[1]))),
    y: roundUp(Math.max(...points.map(p => p.hits))),
  }
  const bottom = PANEL.top + PANEL.height
  const x = (value: number): number => Math.round(left + (Math.max(0, value) / most.x) * PANEL.width)
  const y = (value: number): number => Math.round(bottom - (value / most.y) * PANEL.height)
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap(share => [
    line(x(share * most.x), PANEL.top, x(share * most.x), bottom, '#e5e5e5'),
    line(left, y(share * most.y), left + PANEL.width, y(share * most.y), '#e5e5e5'),
    text(x(share * most.x), bottom + 16, String(+(share * most.x).toFixed(2)), 'middle'),
    text(left - 6, y(share * most.y) + 4, String(+(share * most.y).toFixed(2)), 'end'),
  ])
  const marks = points.flatMap(({ variant, hits, wrong, range }) => {
    const fill = colour(measured.findIndex(one => one.variant === variant))
    return [
      line(x(range[0]), y(hits), x(range[1]), y(hits), fill),
      `<circle cx="${x(wrong)}" cy="${y(hits)}" r="5" fill="${fill}"><title>${escaped(variant)}: ${hits} %, false ${wrong} %</title></circle>`,
    ]
  })
  return [
    text(left + PANEL.width / 2, PANEL.top - 14, file, 'middle'),
    ...grid,
    text(left + PANEL.width / 2, bottom + 34, 'false hits, % of requests', 'middle'),
    `<g transform="translate(${left - 42} ${PANEL.top + PANEL.height / 2}) rotate(-90)">${text(0, 0, 'hits, % of requests', 'middle')}</g>`,
    ...marks,
  ].join('\n')
}

const colour = (i: number): string => COLOURS[i % COLOURS.length] ?? 'black'
/** The next 1, 2, 4 or 8 times a power of ten: four steps of it have short names. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 0.01)))
  return [1, 2, 4, 6, 8, 10].map(step => step * power).find(bound => bound >= value) ?? value
}
const line = (x1: number, y1: number, x2: number, y2: number, stroke: string): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${stroke}" stroke-width="1.5"/>`
const text = (x: number, y: number, what: string, anchor = 'start'): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#333">${escaped(what)}</text>`
const escaped = (what: string): string => what.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
