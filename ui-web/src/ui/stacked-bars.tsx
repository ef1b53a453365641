import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import './chart.css'
import { bucketName, tickName } from './chart-times.ts'
import { colourOf, useScheme } from './scheme.ts'
import type { Stack } from './stack.ts'

interface StackedBarsProps {
  /** What the chart shows, for those who do not see it. */
  readonly caption: string
  /** When each bar begins, in seconds since 1970, at equal distances. */
  readonly times: readonly number[]
  readonly stepSeconds: number
  /** From the bottom up. */
  readonly stacks: readonly Stack[]
  format(value: number): string
  /** Top of the scale; without it, the highest bar. */
  readonly most?: number
  /** The values are amounts and no counts: the scale may have parts of one, and is as high as the bars. */
  readonly continuous?: boolean
  /** What stands in the legend while no bar is pointed at. */
  totalOf(stack: Stack): string
}

const HEIGHT = 220

/** Bars over time whose parts lie on each other. The legend has the values of the bar that is pointed at. */
export function StackedBars(props: StackedBarsProps) {
  const { caption, times, stepSeconds, stacks, format, most, continuous, totalOf } = props
  const frame = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<number | undefined>()
  const scheme = useScheme()
  const drawn = JSON.stringify([scheme, times, stepSeconds, stacks, most, continuous])
  useEffect(() => {
    const element = frame.current
    if (!element || times.length === 0) return
    const options = optionsOf(props, element.clientWidth, setAt)
    const chart = new uPlot(options, sums(times, stacks), element)
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      chart.destroy()
    }
  }, [drawn])
  const pointed = at === undefined ? undefined : times[at]
  return (
    <figure className="chart">
      <div ref={frame} className="chart-frame" aria-hidden="true" />
      <figcaption className="chart-legend" aria-hidden="true">
        {stacks.map(stack => (
          <span key={stack.name} className="chart-key">
            <Swatch colour={stack.colour} /> {stack.name}{' '}
            <b className="number">{at === undefined ? totalOf(stack) : format(stack.values[at] ?? 0)}</b>
          </span>
        ))}
        <span className="muted chart-time">{pointed !== undefined && bucketName(pointed, stepSeconds)}</span>
      </figcaption>
      <ChartTable caption={caption} times={times} stepSeconds={stepSeconds} stacks={stacks} format={format} />
    </figure>
  )
}

/** The colour of a series, beside its name. */
export const Swatch = ({ colour }: { readonly colour: string }) => (
  <svg className="swatch" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
    <rect width="10" height="10" rx="2" fill={`var(${colour})`} />
  </svg>
)

type TableProps = Pick<StackedBarsProps, 'caption' | 'times' | 'stepSeconds' | 'stacks' | 'format'>

/** The same for those who do not see the bars. Bars of nothing are left out. */
function ChartTable({ caption, times, stepSeconds, stacks, format }: TableProps) {
  const rows = times.flatMap((time, at) => (stacks.some(({ values }) => (values[at] ?? 0) > 0) ? [{ time, at }] : []))
  return (
    <div className="visually-hidden">
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {stacks.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ time, at }) => (
            <tr key={time}>
              <th scope="row">{bucketName(time, stepSeconds)}</th>
              {stacks.map(({ name, values }) => (
                <td key={name}>{format(values[at] ?? 0)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

/** uPlot knows no stacks: each series is drawn as the sum of itself and all below it, the highest first. */
function sums(times: readonly number[], stacks: readonly Stack[]): uPlot.AlignedData {
  const below = times.map(() => 0)
  const layered = stacks.map(({ values }) => values.map((value, at) => (below[at] = (below[at] ?? 0) + value)))
  return [[...times], ...layered.reverse()]
}

function optionsOf(
  { times, stepSeconds, stacks, format, most, continuous = false }: StackedBarsProps,
  width: number,
  point: (at: number | undefined) => void,
): uPlot.Options {
  const text = colourOf('--muted')
  const line = colourOf('--line')
  const font = `11px ${colourOf('--font')}`
  const bars = uPlot.paths.bars?.({ size: [0.76, 40], radius: 0 })
  const [first = 0] = times
  const last = times.at(-1) ?? first
  const axis = { stroke: text, font, ticks: { show: false }, border: { show: false } }
  return {
    width,
    height: HEIGHT,
    padding: [8, 12, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    hooks: { setCursor: [({ cursor }) => point(cursor.idx ?? undefined)] },
    scales: {
      x: { range: [first - stepSeconds / 2, last + stepSeconds / 2] },
      y: { range: (_, __, top) => [0, most ?? (continuous && top > 0 ? top * 1.05 : Math.max(1, top * 1.05))] },
    },
    axes: [
      { ...axis, grid: { show: false }, space: 56, size: 26, values: (_, ticks) => ticks.map(tickName) },
      {
        ...axis,
        grid: { stroke: line, width: 1 },
        size: continuous ? 64 : 44,
        space: 40,
        ...(most === undefined && !continuous && { incrs: WHOLE }),
        values: (_, ticks) => ticks.map(format),
      },
    ],
    series: [
      {},
      ...stacks.toReversed().map(({ name, colour }) => ({
        label: name,
        fill: colourOf(colour),
        stroke: colourOf(colour),
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
  }
}

/** Distances of a scale on which things are counted. */
const WHOLE = [1, 2, 5].flatMap(n => Array.from({ length: 9 }, (_, power) => n * 10 ** power)).sort((a, b) => a - b)
