import type { Answer } from '../../../api/ask.ts'

/** Where the boxes and lines of a pipeline stand. Each flow is a lane: who sends, its layers in order, whom they ask. */

export type Pipeline = Answer<'GET /api/admin/pipeline'>
type Node = Pipeline['nodes'][number]

interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface Row {
  readonly name: string
  readonly title: string
  readonly count: number | null
  readonly failed: number
}

interface LayerBox extends Box {
  readonly id: string
  readonly name: string
  readonly title: string
}

/** A line with an arrow at its end, and what went along it beside. */
interface Link {
  readonly id: string
  readonly path: string
  readonly count: number | null
  readonly x: number
  readonly y: number
  /** The layer needs the provider; no request goes along. */
  readonly asks: boolean
}

export interface Lane {
  readonly name: string
  readonly y: number
  readonly senders: (Box & { readonly rows: readonly Row[] }) | undefined
  readonly layers: readonly LayerBox[]
  readonly providers: (Box & { readonly rows: readonly Row[] }) | undefined
  readonly links: readonly Link[]
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly listener: (Box & { readonly name: string }) | undefined
  readonly lanes: readonly Lane[]
}

/** About how wide a letter of 12 pixels is. */
const LETTER = 6.5
export const ROW = 20
const PAD = 7
const BOX = 28
/** Between two layers: an arrow with its count. */
const GAP = 31
/** Between two lines of layers in one lane. */
const LINE = 26
const CAPTION = 18
const LANE_GAP = 22
const LISTENER = 22
const COUNT = 40

const widthOf = (text: string): number => Math.ceil(text.length * LETTER) + 2 * PAD

/** `width`: of the space; a longer flow has several lines. */
export function layoutOf(pipeline: Pipeline, flows: readonly string[], width: number): Layout {
  const nodes = new Map(pipeline.nodes.map(node => [node.id, node]))
  const listeners = pipeline.nodes.filter(({ facets }) => facets.includes('listener')).map(({ name }) => name)
  const shown = pipeline.flows.filter(({ name }) => flows.includes(name)).map(flow => laneOf(pipeline, nodes, flow))
  const widest = (rows: readonly Row[][]): number =>
    Math.max(0, ...rows.flat().map(({ name }) => widthOf(name) + COUNT))
  const senderWidth = widest(shown.map(({ senders }) => senders))
  const providerWidth = widest(shown.map(({ providers }) => providers))
  const left = listeners.length > 0 ? LISTENER + 18 : 0
  const start = left + senderWidth + GAP + 8
  const end = width - providerWidth - (providerWidth > 0 ? GAP + 16 : 1)
  let y = 0
  const lanes = shown.map(lane => {
    const drawn = drawLane(lane, { y, left, senderWidth, start, end, providerWidth, width })
    y = drawn.bottom + LANE_GAP
    return drawn.lane
  })
  const height = Math.max(0, y - LANE_GAP) + 1
  const listener = {
    x: 0.5,
    y: CAPTION + 0.5,
    width: LISTENER,
    height: height - CAPTION - 1.5,
    name: listeners.join(', '),
  }
  return { width, height, listener: listeners.length > 0 ? listener : undefined, lanes }
}

interface LaneParts {
  readonly name: string
  readonly senders: Row[]
  readonly layers: readonly Node[]
  readonly providers: Row[]
  /** Requests from one layer to the next. */
  readonly passed: readonly (number | null)[]
  readonly askers: readonly string[]
}

function laneOf(
  { edges, ...pipeline }: Pipeline,
  nodes: ReadonlyMap<string, Node>,
  flow: Pipeline['flows'][number],
): LaneParts {
  const layers = flow.ids.flatMap(id => nodes.get(id) ?? [])
  const edge = (from: string | undefined, to: string | undefined) =>
    edges.find(one => one.from === from && one.to === to)
  const rowOf = (node: Node, count: number | null, failed = 0): Row => ({
    name: node.name,
    title: titleOf(node),
    count,
    failed,
  })
  const senders = pipeline.nodes
    .filter(({ role, flow: feeds }) => role === 'surface' && feeds === flow.name)
    .map(node => rowOf(node, edge(node.id, flow.ids[0])?.count ?? null))
  const asking = edges.filter(({ from, to }) => flow.ids.includes(from) && nodes.get(to)?.role === 'provider')
  // Who only wants to know a provider's model asks it, too, and never calls it.
  const calling = new Set(asking.flatMap(({ from, count }) => (count !== null && count > 0 ? [from] : [])))
  const last = flow.ids.findLast(id => asking.some(({ from }) => from === id))
  const askers = flow.ids.filter(id => calling.has(id) || id === last)
  const providers = pipeline.nodes
    .filter(({ id }) => asking.some(({ from, to }) => to === id && askers.includes(from)))
    .map(node => {
      const calls = asking.filter(({ to }) => to === node.id)
      const sum = (of: 'count' | 'failed'): number => calls.reduce((all, one) => all + (one[of] ?? 0), 0)
      return rowOf(node, calls.every(({ count }) => count === null) ? null : sum('count'), sum('failed'))
    })
  const passed = flow.ids.slice(1).map((id, at) => edge(flow.ids[at], id)?.count ?? null)
  return { name: flow.name, senders, layers, providers, passed, askers }
}

const titleOf = ({ name, plugin, role, facets }: Node): string =>
  `${role} ${name}${plugin === name ? '' : ` (${plugin})`}${facets.length > 0 ? `, offers ${facets.join(', ')}` : ''}`

interface Space {
  readonly y: number
  readonly left: number
  readonly senderWidth: number
  readonly start: number
  readonly end: number
  readonly providerWidth: number
  readonly width: number
}

function drawLane(lane: LaneParts, space: Space): { readonly lane: Lane; readonly bottom: number } {
  const top = space.y + CAPTION
  const layers = placeLayers(lane.layers, space, top)
  const lines = new Set(layers.map(({ y }) => y)).size
  const rowsHeight = (rows: readonly Row[]): number => (rows.length === 0 ? 0 : rows.length * ROW + 8)
  const chain = Math.max(1, lines) * (BOX + LINE) - LINE
  const height = Math.max(chain, rowsHeight(lane.senders), rowsHeight(lane.providers))
  const senders =
    lane.senders.length === 0
      ? undefined
      : {
          x: space.left + 0.5,
          y: top + 0.5,
          width: space.senderWidth,
          height: rowsHeight(lane.senders),
          rows: lane.senders,
        }
  const providers =
    lane.providers.length === 0
      ? undefined
      : {
          x: space.width - space.providerWidth - 0.5,
          y: top + 0.5,
          width: space.providerWidth,
          height: rowsHeight(lane.providers),
          rows: lane.providers,
        }
  const links = [
    ...(senders ? [entry(lane, senders, layers[0])] : []),
    ...layers.slice(1).map((to, at) => between(layers[at], to, lane.passed[at] ?? null, space)),
    ...(providers ? lane.askers.map(id => towards(layers, id, providers, top + chain)) : []),
  ].filter(link => link !== undefined)
  return { lane: { name: lane.name, y: space.y, senders, layers, providers, links }, bottom: top + height }
}

/** In lines of about the same length. */
function placeLayers(nodes: readonly Node[], { start, end }: Space, top: number): LayerBox[] {
  const widths = nodes.map(({ name }) => widthOf(name))
  const total = widths.reduce((sum, width) => sum + width + GAP, -GAP)
  const lines = Math.max(1, Math.ceil(total / Math.max(120, end - start)))
  const most = total / lines
  let [x, line] = [0, 0]
  return nodes.map((node, at) => {
    const width = widths[at] ?? 0
    if (x > 0 && x + width > Math.min(most + width / 2, end - start) && line < lines - 1) {
      x = 0
      line++
    }
    const box = {
      id: node.id,
      name: node.name,
      title: titleOf(node),
      x: start + x + 0.5,
      y: top + line * (BOX + LINE) + 0.5,
      width,
      height: BOX,
    }
    x += width + GAP
    return box
  })
}

const middle = ({ y, height }: Box): number => y + Math.min(height, BOX) / 2
const right = ({ x, width }: Box): number => x + width

function entry({ senders }: LaneParts, from: Box, to: LayerBox | undefined): Link | undefined {
  if (!to) return undefined
  const y = middle(to)
  const counted = senders.filter(({ count }) => count !== null)
  const count = counted.length === 0 ? null : counted.reduce((sum, one) => sum + (one.count ?? 0), 0)
  return {
    id: `to ${to.id}`,
    path: `M${right(from)} ${y}H${to.x - 1}`,
    count,
    x: (right(from) + to.x) / 2,
    y: y - 5,
    asks: false,
  }
}

function between(from: LayerBox | undefined, to: LayerBox, count: number | null, { start }: Space): Link | undefined {
  if (!from) return undefined
  const id = `${from.id} ${to.id}`
  const [y1, y2] = [middle(from), middle(to)]
  if (y1 === y2)
    return { id, path: `M${right(from)} ${y1}H${to.x - 1}`, count, x: (right(from) + to.x) / 2, y: y1 - 5, asks: false }
  const turn = from.y + from.height + LINE / 2
  const path = `M${right(from)} ${y1}h10V${turn}H${start - 12}V${y2}H${to.x - 1}`
  return { id, path, count, x: (start + right(from)) / 2, y: turn - 4, asks: false }
}

function towards(layers: readonly LayerBox[], id: string, to: Box, bottom: number): Link | undefined {
  const from = layers.find(one => one.id === id)
  if (!from) return undefined
  const behind = layers.some(one => one.y === from.y && one.x > from.x)
  const y = middle(from)
  const enter = Math.min(y, to.y + to.height - 8)
  const turn = to.x - 16
  const path = behind
    ? `M${from.x + from.width / 2} ${from.y + from.height}V${bottom + 8}H${turn}V${enter}H${to.x - 1}`
    : `M${right(from)} ${y}${enter === y ? '' : `H${turn}V${enter}`}H${to.x - 1}`
  return { id: `${id} providers`, path, count: null, x: 0, y: 0, asks: true }
}
