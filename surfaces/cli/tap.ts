import { once } from 'node:events'
import { padded, shortened } from '../../ui-tui/terminal-text.ts'
import { type AdminOptions, adminTarget } from './ask-admin.ts'
import { CommandError } from './failure.ts'
import { followLive, type LiveRequest } from './live-requests.ts'
import { isWanted, type RequestFilters, requestFilters } from './request-filters.ts'

export interface TapOptions extends AdminOptions, RequestFilters {
  /** Ends after so many lines. */
  readonly limit?: string
  readonly json?: boolean
}

/** `deflector tap`: a line for each request of the running gateway as it ends, until SIGINT or a closed pipe. */
export async function tap(options: TapOptions): Promise<void> {
  const { limit, json } = options
  if (limit !== undefined && !/^[1-9]\d{0,8}$/.test(limit))
    throw new CommandError('--limit: must be a whole number, 1 or more')
  const wanted = requestFilters(options)
  const stop = new AbortController()
  const end = (): void => stop.abort()
  process.once('SIGINT', end)
  process.once('SIGTERM', end)
  // The reader of a pipe has left.
  process.stdout.once('error', end)

  let left = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit)
  let lost = false
  if (!json && process.stdout.isTTY) await write(HEAD, stop.signal)
  await followLive(
    () => adminTarget(options),
    {
      connected(base) {
        if (lost) note(`connected to ${base} again`)
        lost = false
      },
      async request(request) {
        if (stop.signal.aborted || !isWanted(request, wanted)) return
        await write(json ? JSON.stringify(request) : lineOf(request), stop.signal)
        left--
        if (left === 0) end()
      },
      missed: count => note(`${count} requests are left out: they came too fast`),
      lost(why) {
        if (!lost) note(`${why}; connecting again`)
        lost = true
      },
    },
    stop.signal,
  )
  process.off('SIGINT', end)
  process.off('SIGTERM', end)
}

/** What is no decision goes to stderr, so that a pipe holds lines of one kind. */
const note = (text: string): void => void process.stderr.write(`deflector: ${text}\n`)

/** Resolves once there is room for more. */
async function write(line: string, signal: AbortSignal): Promise<void> {
  if (process.stdout.write(`${line}\n`)) return
  await once(process.stdout, 'drain', { signal }).catch(() => {})
}

/** Columns of the cells, in their order; the last one has no end. */
const WIDTHS = [8, 5, 6, 9, 12, 12, 20, 22, 10, 24]

const line = (cells: readonly string[]): string =>
  cells
    .map((cell, at) => {
      const width = WIDTHS[at]
      if (width === undefined) return cell
      return padded(shortened(cell, width), width, at === 3 ? 'right' : 'left')
    })
    .join('  ')
    .trimEnd()

const HEAD = line(['time', 'layer', 'status', 'took', 'client', 'tool', 'model', 'outcome', 'key', 'request', 'tags'])

const lineOf = (request: LiveRequest): string =>
  line([
    request.time.slice(11, 19),
    request.layer,
    `${request.status}`,
    `${request.ms} ms`,
    request.client,
    request.tool,
    request.model ?? '-',
    outcomeOf(request),
    request.key ?? '-',
    request.id,
    shortened(request.tags.join(', '), 100),
  ])

function outcomeOf({ error, provider, saved }: LiveRequest): string {
  if (error !== null) return error
  if (provider !== null) return `from ${provider}`
  return saved > 0 ? `saved ${saved} tokens` : '-'
}
