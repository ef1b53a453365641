/** What the operator has chosen to see. */

export const TABS = ['Overview', 'Requests', 'Layers', 'Providers', 'Clients', 'Usage'] as const
export type Tab = (typeof TABS)[number]

/** By what the tab Usage tells costs apart; a principal is a key of the gateway. */
export const USAGE_BY = ['principal', 'model', 'tag'] as const
export type UsageBy = (typeof USAGE_BY)[number]

/** A pipeline has few layers, and the filter is meant for requests. */
export const takesFilter = (tab: Tab): boolean => tab !== 'Layers'

export interface View {
  readonly tab: Tab
  /** Key of the chosen row; without one it is the first, whichever that is. */
  readonly selected?: string | undefined
  readonly filter: string
  /** The filter is being typed. */
  readonly typing: boolean
  /** Title of the column by which each table is sorted. */
  readonly sort: Readonly<Partial<Record<Tab, string>>>
  readonly reversed: boolean
  readonly help: boolean
  readonly usageBy: UsageBy
  /** Id of the request whose story is shown, and its first line on the screen. */
  readonly story?: { readonly id: string; readonly top: number } | undefined
}

export const START: View = {
  ...{ tab: 'Overview', filter: '', typing: false, sort: {}, reversed: false, help: false },
  usageBy: 'principal',
}

export interface Key {
  readonly input: string
  readonly upArrow?: boolean
  readonly downArrow?: boolean
  readonly pageUp?: boolean
  readonly pageDown?: boolean
  readonly home?: boolean
  readonly end?: boolean
  readonly return?: boolean
  readonly escape?: boolean
  readonly tab?: boolean
  readonly shift?: boolean
  readonly backspace?: boolean
  readonly delete?: boolean
  readonly ctrl?: boolean
}

/** The key of one character among several. */
export const keyOf = (input: string): Key => ({
  input,
  return: input === '\r' || input === '\n',
  tab: input === '\t',
  escape: input === '\u001b',
  backspace: input === '\u007f' || input === '\b',
})

/** The table that keys move in. */
export interface Rows {
  /** Keys of its rows, in their order on the screen. */
  readonly keys: readonly string[]
  /** Titles of the columns that sort it; the first one is that of its own order. */
  readonly sorts: readonly string[]
  /** Rows of a page. */
  readonly page: number
  /** Do its rows have a story? */
  readonly stories: boolean
  /** How far a story that is shown can be scrolled. */
  readonly lastTop: number
}

/** The view after a key; `quit` ends the program. */
export function pressed(view: View, key: Key, rows: Rows): View | 'quit' {
  if (view.typing) return typed(view, key)
  if (view.help) return { ...view, help: false }
  if (view.story) return inStory(view, view.story, key, rows)
  const { input } = key
  const digit = TABS[Number(input) - 1]
  if (digit) return onTab(view, digit)
  if (key.tab) return onTab(view, neighbour(view.tab, key.shift ? -1 : 1))
  if (key.return) return open(view, rows)
  if (key.escape) return { ...view, filter: '', selected: undefined }
  switch (input) {
    case 'q':
      return 'quit'
    case '?':
      return { ...view, help: true }
    case '/':
      return takesFilter(view.tab) ? { ...view, typing: true } : view
    case 's':
      return { ...view, sort: { ...view.sort, [view.tab]: nextOf(rows.sorts, view.sort[view.tab]) } }
    case 'b':
      return view.tab === 'Usage' ? { ...view, usageBy: nextUsageBy(view.usageBy), selected: undefined } : view
    case 'r':
      return { ...view, reversed: !view.reversed }
    default: {
      const step = stepOf(key, rows)
      return step === undefined ? view : moved(view, rows, step)
    }
  }
}

const onTab = (view: View, tab: Tab): View => ({ ...view, tab, selected: undefined, reversed: false })

const neighbour = (tab: Tab, step: number): Tab =>
  TABS[(TABS.indexOf(tab) + step + TABS.length) % TABS.length] ?? 'Overview'

const nextOf = (sorts: readonly string[], now = sorts[0] ?? ''): string =>
  sorts[(sorts.indexOf(now) + 1) % sorts.length] ?? now

const nextUsageBy = (now: UsageBy): UsageBy => USAGE_BY[(USAGE_BY.indexOf(now) + 1) % USAGE_BY.length] ?? now

/** How many rows a key moves. */
function stepOf({ input, ...key }: Key, { page }: Rows): number | undefined {
  if (input === 'j' || key.downArrow) return 1
  if (input === 'k' || key.upArrow) return -1
  if (key.pageDown || (key.ctrl && input === 'd')) return page
  if (key.pageUp || (key.ctrl && input === 'u')) return -page
  if (input === 'g' || key.home) return Number.NEGATIVE_INFINITY
  if (input === 'G' || key.end) return Number.POSITIVE_INFINITY
  return undefined
}

/** A cursor on the first row stays there while new rows come. */
function moved(view: View, { keys }: Rows, step: number): View {
  const at = Math.max(0, keys.indexOf(view.selected ?? ''))
  const to = Math.min(Math.max(0, at + step), keys.length - 1)
  return { ...view, selected: to <= 0 ? undefined : keys[to] }
}

function open(view: View, { keys, stories }: Rows): View {
  const id = view.selected !== undefined && keys.includes(view.selected) ? view.selected : keys[0]
  return stories && id !== undefined ? { ...view, selected: id, story: { id, top: 0 } } : view
}

function inStory(view: View, { id, top }: NonNullable<View['story']>, key: Key, rows: Rows): View | 'quit' {
  if (key.input === '?') return { ...view, help: true }
  if (key.escape || key.return || key.backspace || key.input === 'q') return { ...view, story: undefined }
  const step = stepOf(key, rows)
  if (step === undefined) return view
  return { ...view, story: { id, top: Math.min(Math.max(0, top + step), rows.lastTop) } }
}

const LONGEST_FILTER = 100

function typed(view: View, { input, ...key }: Key): View {
  if (key.return) return { ...view, typing: false }
  if (key.escape) return { ...view, typing: false, filter: '' }
  if (key.backspace || key.delete) return { ...view, filter: view.filter.slice(0, -1) }
  if (key.ctrl || /\p{Control}/u.test(input)) return view
  return { ...view, filter: `${view.filter}${input}`.slice(0, LONGEST_FILTER), selected: undefined }
}
