import { memo, type RefObject, useEffect, useRef, useState } from 'react'
import { useFilter } from '../../shell/place.ts'
import { milliseconds, moment, usd } from '../../ui/human.ts'
import { endLook } from '../../ui/layers.ts'
import { Swatch } from '../../ui/stacked-bars.tsx'
import { type LogFilters, storyAddress } from './log-filters.ts'
import type { RequestLine } from './request-line.ts'
import { useRowHeight, useVisibleRows } from './visible-rows.ts'

interface RequestListProps {
  readonly lines: readonly RequestLine[]
  readonly filters: LogFilters
  readonly busy: boolean
}

/** The log as a list of links to stories. Only what is on the screen is drawn, however many there are. */
export function RequestList({ lines, filters, busy }: RequestListProps) {
  const frame = useRef<HTMLOListElement>(null)
  const height = useRowHeight()
  const { first, end } = useVisibleRows(frame, lines.length, height)
  useSteps(frame, lines, height)
  return (
    <div className="log" aria-busy={busy}>
      <div className="log-row log-head" aria-hidden="true">
        {COLUMNS.map(([className, name]) => (
          <span key={name} className={className}>
            {name}
          </span>
        ))}
      </div>
      <ol ref={frame} aria-label="Requests, newest first">
        <Space rows={first} height={height} />
        {lines.slice(first, end).map((line, at) => (
          <Row
            key={line.id}
            line={line}
            position={first + at + 1}
            total={lines.length}
            href={storyAddress(line.id, filters)}
          />
        ))}
        <Space rows={lines.length - end} height={height} />
      </ol>
    </div>
  )
}

const COLUMNS = [
  ['', 'Time'],
  ['', 'Decided by'],
  ['number', 'Status'],
  ['', 'Model'],
  ['', 'Provider'],
  ['', 'Client'],
  ['', 'Key'],
  ['', 'Tags'],
  ['number', 'Took'],
  ['number', 'Cost'],
  ['number', 'Saved'],
] as const

/** Room for rows that are not drawn. A picture has a height of its own, which the policy of the page allows. */
const Space = ({ rows, height }: { readonly rows: number; readonly height: number }) =>
  rows > 0 ? (
    <li aria-hidden="true">
      <svg className="log-space" width="1" height={rows * height} aria-hidden="true" />
    </li>
  ) : null

interface RowProps {
  readonly line: RequestLine
  readonly position: number
  readonly total: number
  readonly href: string
}

const Row = memo(({ line, position, total, href }: RowProps) => {
  const { id, time, layer, status, model, provider, client, key, tags, ms, error, cost, saved } = line
  const end = endLook(layer, status)
  return (
    <li aria-posinset={position} aria-setsize={total}>
      <a className="log-row" href={href} data-id={id}>
        <span className="log-time number">{moment(time)}</span>
        <span className="log-layer">
          <Swatch colour={end.colour} /> {end.name}
        </span>
        <span className={`log-status number ${status >= 400 ? 'bad' : ''}`}>{status || '–'}</span>
        <span className="log-model" title={[error, model].filter(Boolean).join(' ')}>
          {error && <span className="bad">{error}</span>} {model ?? (error ? '' : '–')}
        </span>
        <span className="log-wide">{provider ?? ''}</span>
        <span className="log-client">{client}</span>
        <span className="log-wide">{key ?? ''}</span>
        <span className="log-wide">{tags.join(', ')}</span>
        <span className="log-took number">
          <Unseen>took</Unseen> {milliseconds(ms)}
        </span>
        <span className="log-wide number">
          {cost ? (
            <>
              <Unseen>cost</Unseen> {usd(cost)}
            </>
          ) : (
            ''
          )}
        </span>
        <span className="log-wide number good">
          {saved ? (
            <>
              <Unseen>saved</Unseen> {usd(saved)}
            </>
          ) : (
            ''
          )}
        </span>
      </a>
    </li>
  )
})

/** The head of a column, for those who hear a row. */
const Unseen = ({ children }: { readonly children: string }) => <span className="visually-hidden">{children}</span>

/** What lies over the rows at the top (the bar and the head of the list) and at the bottom of the screen. */
const COVERED = { top: 90, bottom: 72 }

/** j and k go to the next and the previous request, and with an open story to its story. */
function useSteps(frame: RefObject<HTMLOListElement | null>, lines: readonly RequestLine[], height: number): void {
  const [story, setStory] = useFilter('id')
  /** The row that is to have the focus, once it is drawn. */
  const [wanted, setWanted] = useState<string>()
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const step = { j: 1, k: -1 }[event.key]
      if (step === undefined || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const from = story ?? idOf(document.activeElement)
      const at = lines.findIndex(({ id }) => id === from)
      const next = lines[at < 0 ? firstOnScreen(frame.current, height) : at + step]
      if (!next) return
      event.preventDefault()
      showRow(frame.current, lines.indexOf(next), height)
      if (story !== undefined) setStory(next.id)
      else setWanted(next.id)
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  })
  useEffect(() => {
    if (wanted === undefined) return
    const row = frame.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(wanted)}"]`)
    row?.focus({ preventScroll: true })
    if (row) setWanted(undefined)
  })
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, select, textarea')

const idOf = (element: Element | null): string | undefined =>
  element instanceof HTMLElement ? element.dataset.id : undefined

const topOf = (frame: HTMLElement | null): number => window.scrollY + (frame?.getBoundingClientRect().top ?? 0)

const firstOnScreen = (frame: HTMLElement | null, height: number): number =>
  Math.max(0, Math.ceil((window.scrollY + COVERED.top - topOf(frame)) / height))

function showRow(frame: HTMLElement | null, at: number, height: number): void {
  const top = topOf(frame) + at * height
  const highest = top + height + COVERED.bottom - window.innerHeight
  const lowest = top - COVERED.top
  if (window.scrollY > lowest) window.scrollTo(0, at === 0 ? 0 : lowest)
  else if (window.scrollY < highest) window.scrollTo(0, highest)
}
