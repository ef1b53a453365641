import { useEffect, useMemo, useRef, useState } from 'react'
import { type Answer, AskError, ask } from '../../api/ask.ts'
import { useLive } from '../../api/live.ts'
import { fits, type LogFilters } from './log-filters.ts'
import { lineOfEntry, lineOfLive, type RequestLine } from './request-line.ts'

/** Requests on the screen. */
const MOST = 10_000
/** Those that are fetched first, so that there is something to read. */
const FIRST = 200
/** Of those that ended since the log was fetched; then it is fetched again. */
const MOST_LIVE = 1_000
/** Between two fetches that nobody asked for, in milliseconds. */
const PAUSE_MS = 2_000

export interface Log {
  /** Newest first; `undefined` before the first answer. */
  readonly lines: readonly RequestLine[] | undefined
  /** Where they come from. */
  readonly source: Answer<'GET /api/admin/requests'>['source']
  readonly error: AskError | undefined
  /** Are there older ones that are left out? */
  readonly cut: boolean
  readonly busy: boolean
  readonly connected: boolean
  /** Requests of the log that ended while it is held. */
  readonly waiting: number
  refresh(): void
}

interface Fetched {
  readonly lines?: readonly RequestLine[]
  readonly source: Log['source']
  readonly error?: AskError
  readonly busy: boolean
}

/** The log: what is kept of earlier requests, and those that end meanwhile, unless it is `held`. */
export function useLog(filters: LogFilters, held: boolean): Log {
  const live = useLive(MOST_LIVE)
  const [round, setRound] = useState(0)
  const shown = useRef<LogFilters>(undefined)
  const [fetched, setFetched] = useState<Fetched>({ source: 'none', busy: true })
  useEffect(() => {
    const aborter = new AbortController()
    setFetched(before => ({ ...before, busy: true }))
    const fetchAll = async (): Promise<void> => {
      const isNew = shown.current !== filters
      for (const most of isNew ? [FIRST, MOST] : [MOST]) {
        const answer = await fetchLog(filters, most, aborter.signal)
        const isAll = most === MOST || answer.lines.length < most
        shown.current = filters
        setFetched({ ...answer, busy: !isAll })
        if (isAll) return
      }
    }
    void fetchAll().catch(error => {
      if (!aborter.signal.aborted) setFetched(before => ({ ...before, error: failureOf(error), busy: false }))
    })
    return () => aborter.abort()
  }, [filters, round])

  const heldAt = useRef(live.requests)
  if (!held) heldAt.current = live.requests
  const taken = heldAt.current
  const refresh = (): void => setRound(last => last + 1)
  useRefetches({ live, isText: filters.q !== undefined, held, refresh })
  const { lines } = fetched
  const merged = useMemo(() => {
    if (!lines) return undefined
    const known = new Set(lines.map(({ id }) => id))
    const fresh = taken.flatMap(one => (known.has(one.id) ? [] : [lineOfLive(one)]))
    return [...fresh.filter(line => fits(line, filters)), ...lines].slice(0, MOST)
  }, [taken, lines, filters])
  const [newest] = taken
  const newer = newest ? live.requests.findIndex(({ id }) => id === newest.id) : live.requests.length
  const waiting = useMemo(() => {
    const known = new Set(lines?.map(({ id }) => id))
    const held = live.requests.slice(0, Math.max(0, newer)).filter(({ id }) => !known.has(id))
    return held.filter(one => fits(lineOfLive(one), filters)).length
  }, [live.requests, newer, lines, filters])
  return {
    lines: merged,
    source: fetched.source,
    error: fetched.error,
    cut: (lines?.length ?? 0) >= MOST,
    busy: fetched.busy,
    connected: live.connected,
    waiting,
    refresh,
  }
}

async function fetchLog({ status, ...filters }: LogFilters, limit: number, signal: AbortSignal) {
  const query = { ...filters, ...(status !== undefined && { status: Number(status) }), limit, brief: 'true' } as const
  const { source, entries } = await ask('GET /api/admin/requests', { query }, signal)
  return { source, lines: entries.map(lineOfEntry) }
}

const failureOf = (error: unknown): AskError =>
  error instanceof AskError ? error : new AskError(undefined, 'The answer cannot be read.')

interface Circumstances {
  readonly live: ReturnType<typeof useLive>
  /** Is a text looked for? Then the gateway has to be asked. */
  readonly isText: boolean
  readonly held: boolean
  refresh(): void
}

/** Asks for the log again where the stream alone does not tell: after a gap, and where a text is looked for. */
function useRefetches({ live, isText, held, refresh }: Circumstances): void {
  const seen = useRef({ connected: false, ever: false, id: '', since: 0 })
  const timer = useRef<number>(undefined)
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    const { requests, connected } = live
    const at = requests.findIndex(({ id }) => id === seen.current.id)
    const fresh = at < 0 ? requests : requests.slice(0, at)
    const reconnected = connected && !seen.current.connected && seen.current.ever
    const since = seen.current.since + fresh.length
    const isDue = reconnected || fresh.some(({ skipped }) => skipped > 0) || since > MOST_LIVE / 2
    const due = isDue || (isText && fresh.length > 0)
    seen.current = {
      connected,
      ever: seen.current.ever || connected,
      id: requests[0]?.id ?? '',
      since: due ? 0 : since,
    }
    if (!due || held) return
    timer.current ??= window.setTimeout(() => {
      timer.current = undefined
      latest.current()
    }, PAUSE_MS)
  }, [live, isText, held])
  useEffect(
    () => () => {
      clearTimeout(timer.current)
      timer.current = undefined
    },
    [],
  )
}
