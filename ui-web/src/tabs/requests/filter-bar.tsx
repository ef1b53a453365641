import { useEffect, useRef, useState } from 'react'
import { addressOf, useFilter } from '../../shell/place.ts'
import { LAYER_ORDER, labelOf, layerName } from '../../ui/layers.ts'
import type { Filter, LogFilters } from './log-filters.ts'
import type { RequestLine } from './request-line.ts'

/** From the last key that was pressed to the search, in milliseconds. */
const TYPING_MS = 250

interface FilterBarProps {
  readonly filters: LogFilters
  /** What was found; its values can be chosen. */
  readonly lines: readonly RequestLine[]
}

/** Narrows the log; all that is chosen stands in the address. */
export function FilterBar({ filters, lines }: FilterBarProps) {
  const [open, setOpen] = useState(false)
  const values = useSeen(lines)
  const chosen = Object.keys(filters).length
  const selects = Object.keys(filters).filter(name => name !== 'q').length
  return (
    <search className="log-filters">
      <Search />
      <button type="button" className="log-more" aria-expanded={open} onClick={() => setOpen(!open)}>
        Filters{selects > 0 && ` (${selects})`}
      </button>
      <div className={open ? 'log-selects open' : 'log-selects'}>
        <Select name="layer" all="All layers" values={values.layer} words={layerWords} />
        <Select name="status" all="All statuses" values={['2', '4', '5']} words={statusWords} />
        <Select name="client" all="All clients" values={values.client} />
        <Select name="model" all="All models" values={values.model} />
        <Select name="key" all="All keys" values={values.key} />
        <Select name="tag" all="All tags" values={values.tag} />
      </div>
      {chosen > 0 && (
        <a className="log-clear" href={addressOf('requests')}>
          Clear
        </a>
      )}
    </search>
  )
}

function Search() {
  const [given = '', set] = useFilter('q')
  const [text, setText] = useState(given)
  const timer = useRef<number>(undefined)
  // The address may change by a link, or by the way back.
  useEffect(() => setText(given), [given])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string): void => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = window.setTimeout(() => set(next.trim() === '' ? undefined : next.trim()), TYPING_MS)
  }
  return (
    <input
      type="search"
      className="log-search"
      aria-label="Search"
      placeholder="Search ids, paths, errors, logged bodies"
      maxLength={200}
      spellCheck={false}
      value={text}
      onChange={event => type(event.target.value)}
    />
  )
}

interface SelectProps {
  readonly name: Filter
  readonly all: string
  readonly values: readonly string[]
  words?(value: string): string
}

function Select({ name, all, values, words = value => value }: SelectProps) {
  const [chosen, set] = useFilter(name)
  const options = chosen === undefined || values.includes(chosen) ? values : [chosen, ...values]
  return (
    <select
      aria-label={all.replace('All ', '')}
      className={chosen === undefined ? undefined : 'chosen'}
      value={chosen ?? ''}
      onChange={event => set(event.target.value || undefined)}
    >
      <option value="">{all}</option>
      {options.map(value => (
        <option key={value} value={value}>
          {words(value)}
        </option>
      ))}
    </select>
  )
}

const layerWords = (layer: string): string => layerName(layer)
const STATUSES: Readonly<Record<string, string>> = { '2': '2xx answered', '4': '4xx refused', '5': '5xx failed' }
const statusWords = (status: string): string => STATUSES[status] ?? status

type Seen = Readonly<Record<'layer' | 'client' | 'model' | 'key' | 'tag', readonly string[]>>

/** All values that the log has shown since the tab was opened: one filter does not take away what another can have. */
function useSeen(lines: readonly RequestLine[]): Seen {
  const all = useRef({
    layer: new Set(['l1a', 'l1b', 'l3']),
    client: new Set<string>(),
    model: new Set<string>(),
    key: new Set<string>(),
    tag: new Set<string>(),
  })
  const looked = useRef<readonly RequestLine[]>(undefined)
  if (looked.current !== lines) {
    looked.current = lines
    for (const { layer, client, model, key, tags } of lines) {
      all.current.layer.add(layer)
      if (client) all.current.client.add(client)
      if (model) all.current.model.add(model)
      if (key) all.current.key.add(key)
      for (const tag of tags) all.current.tag.add(tag)
    }
  }
  const { layer, client, model, key, tag } = all.current
  const rank = (name: string): number => LAYER_ORDER.indexOf(labelOf(name))
  return {
    layer: [...layer].sort((a, b) => rank(a) - rank(b)),
    client: [...client].sort(),
    model: [...model].sort(),
    key: [...key].sort(),
    tag: [...tag].sort(),
  }
}
