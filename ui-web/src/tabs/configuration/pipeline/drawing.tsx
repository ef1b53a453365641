import { useEffect, useRef } from 'react'
import { short } from '../../../ui/human.ts'
import { type Lane, type Layout, ROW, type Row } from './layout.ts'

interface DrawingProps {
  readonly layout: Layout
  /** Ids of links along which something went since the last look. */
  readonly moved: ReadonlySet<string>
}

/** The pipeline as a picture. What it says stands in a table, too. */
export function Drawing({ layout: { width, height, listener, lanes }, moved }: DrawingProps) {
  return (
    <svg
      className="pipeline"
      width={width}
      height={height + 12}
      viewBox={`0 0 ${width} ${height + 12}`}
      aria-hidden="true"
    >
      <defs>
        <marker id="arrow" viewBox="0 0 6 6" refX="5.5" refY="3" markerWidth="6" markerHeight="6" orient="auto">
          <path d="M0 0 6 3 0 6z" className="arrow" />
        </marker>
        <marker id="arrow-moved" viewBox="0 0 6 6" refX="5.5" refY="3" markerWidth="6" markerHeight="6" orient="auto">
          <path d="M0 0 6 3 0 6z" className="arrow moved" />
        </marker>
      </defs>
      {listener && (
        <g>
          <rect {...frame(listener)} rx="4" className="box listener" />
          <text
            x={listener.x + listener.width / 2}
            y={listener.y + 12}
            transform={`rotate(90 ${listener.x + listener.width / 2} ${listener.y + 12})`}
            dominantBaseline="central"
          >
            {listener.name}
          </text>
        </g>
      )}
      {lanes.map(lane => (
        <LaneDrawing key={lane.name} lane={lane} listenerAt={listener && listener.x + listener.width} moved={moved} />
      ))}
    </svg>
  )
}

interface LaneProps {
  readonly lane: Lane
  readonly listenerAt: number | undefined
  readonly moved: ReadonlySet<string>
}

function LaneDrawing({ lane: { name, y, senders, layers, providers, links }, listenerAt, moved }: LaneProps) {
  return (
    <g>
      <text x={senders?.x ?? layers[0]?.x ?? 0} y={y + 11} className="caption">
        {name}
      </text>
      {senders && listenerAt !== undefined && (
        <path d={`M${listenerAt} ${senders.y + 14}H${senders.x - 1}`} className="link" markerEnd="url(#arrow)" />
      )}
      {links.map(({ id, path, count, x, y, asks }) => (
        <g key={id} className={moved.has(id) ? 'moved' : ''}>
          <path
            d={path}
            className={`link ${asks ? 'asks' : ''}`}
            markerEnd={moved.has(id) ? 'url(#arrow-moved)' : 'url(#arrow)'}
          />
          {count !== null && (
            <text x={x - 2} y={y} className="count" textAnchor="middle">
              {short(count)}
            </text>
          )}
        </g>
      ))}
      {senders && <Rows box={senders} />}
      {layers.map(({ id, name, title, ...box }) => (
        <g key={id}>
          <title>{title}</title>
          <rect {...frame(box)} rx="4" className="box" />
          <text x={box.x + box.width / 2} y={box.y + box.height / 2} textAnchor="middle" dominantBaseline="central">
            {name}
          </text>
        </g>
      ))}
      {providers && <Rows box={providers} />}
    </g>
  )
}

interface Frame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const frame = ({ x, y, width, height }: Frame): Frame => ({ x, y, width, height })

function Rows({ box }: { readonly box: Frame & { readonly rows: readonly Row[] } }) {
  return (
    <g>
      <rect {...frame(box)} rx="4" className="box" />
      {box.rows.map(({ name, title, count, failed }, at) => {
        const y = box.y + 4 + at * ROW + ROW / 2
        return (
          <g key={name}>
            <title>{failed > 0 ? `${title}; ${failed} calls failed` : title}</title>
            <text x={box.x + 8} y={y} dominantBaseline="central">
              {name}
            </text>
            <text x={box.x + box.width - 8} y={y} textAnchor="end" dominantBaseline="central" className="count">
              {count === null ? '' : short(count)}
            </text>
          </g>
        )
      })}
    </g>
  )
}

/** Links whose count grew since it was drawn last. */
export function useMoved({ lanes }: Layout): ReadonlySet<string> {
  const links = lanes.flatMap(lane => lane.links)
  const before = useRef<ReadonlyMap<string, number>>(new Map())
  const moved = new Set(
    links.flatMap(({ id, count }) => {
      const known = before.current.get(id)
      return known !== undefined && count !== null && count > known ? [id] : []
    }),
  )
  useEffect(() => {
    before.current = new Map(links.flatMap(({ id, count }) => (count === null ? [] : [[id, count] as const])))
  })
  return moved
}
