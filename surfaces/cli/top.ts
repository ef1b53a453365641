import type { Source } from '../../ui-tui/source.ts'
import { type AdminOptions, adminTarget, askAt } from './ask-admin.ts'
import { CommandError } from './failure.ts'
import { followLive } from './live-requests.ts'

export interface TopOptions extends AdminOptions {
  /** Seconds between two looks. */
  readonly interval: string
}

/** A gateway that does not answer within this time counts as away, in milliseconds. */
const PATIENCE_MS = 5_000

/** `deflector top`: the live picture of a gateway on a terminal. */
export async function top(options: TopOptions): Promise<void> {
  const { interval } = options
  const secs = Number(interval)
  if (!/^\d+(?:\.\d+)?$/.test(interval) || secs < 0.2 || secs > 3600)
    throw new CommandError('--interval: must be seconds, from 0.2 to 3600')
  if (process.stdin.isTTY !== true || process.stdout.isTTY !== true || process.env.TERM === 'dumb')
    throw new CommandError('top needs a terminal; "deflector stats --json" and "deflector tap --json" are for programs')
  const over = new AbortController()
  const source = sourceOf(options, over.signal)
  // Who has no gateway, or no key, is told so before the screen is taken.
  const { prompts } = await import('../../ui-tui/source.ts')
  await source.ask(prompts, { path: '/debug/stats/prompts?limit=0', surface: 'stats' })
  // React is built for development otherwise, at twice the cost. Colours are asked for before ink is loaded, too.
  process.env.NODE_ENV = 'production'
  if (process.env.NO_COLOR) process.env.FORCE_COLOR = '0'
  const { showTop } = await import('../../ui-tui/top.tsx')
  await showTop(source, secs * 1000)
  // A gateway that does not answer keeps nobody waiting.
  over.abort()
}

/** After a failure the target is looked up anew: a gateway that starts again may have another port. */
function sourceOf(options: AdminOptions, over: AbortSignal): Source {
  let target = adminTarget(options)
  let failed = false
  const find = () => {
    target = adminTarget(options)
    return target
  }
  return {
    address: () => target.base,
    async ask(shape, question) {
      try {
        const signal = AbortSignal.any([AbortSignal.timeout(PATIENCE_MS), over])
        const found = await askAt(failed ? find() : target, shape, question, signal)
        failed = false
        return found
      } catch (error) {
        failed = true
        throw error
      }
    },
    follow: (follower, signal) => followLive(find, follower, signal),
  }
}
