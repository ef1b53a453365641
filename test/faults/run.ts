import { readFileSync } from 'node:fs'
import { parse } from '@decimalturn/toml-patch'
import { send } from '../../surfaces/cli/pipeline/test/client.ts'
import { VirtualClock } from '../../surfaces/cli/pipeline/test/virtual-clock.ts'
import { startGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'
import { type Fault, OTHER_TEXT, PRIMARY_TEXT, type Run } from './faults.ts'
import { type Seen, type Surface, seen } from './surfaces.ts'

/** One cell of the table. */
export interface Cell {
  readonly fault: Fault
  readonly surface: Surface
  readonly stream: boolean
  readonly chained: boolean
  /** Default settings, or those of `faults.toml`. */
  readonly tuned: boolean
  /** The fallback says what the primary says. */
  readonly same: boolean
  /** `SERVICE__*` variables beside those. */
  readonly settings?: Readonly<Record<string, string>>
}

/**
 * `pass`: as wanted. `partial`: a whole answer, but not as wanted. `safe`: the client was told. `fail`: it waits for ever,
 * takes half an answer for a whole one, or has words twice.
 */
export type Verdict = 'pass' | 'partial' | 'safe' | 'fail'

export interface Outcome {
  readonly run: Run
  readonly verdict: Verdict
}

const TUNED = readFileSync(new URL('faults.toml', import.meta.url), 'utf8')
/** Virtual seconds beyond which a client has gone. */
const PATIENCE_SECS = 130
/** While S15 has its primary down. */
const DOWN = 15

/** Plays one cell on a gateway of its own, in virtual time. */
export async function play(cell: Cell): Promise<Outcome> {
  const { fault, surface, stream, chained, same } = cell
  let ids = 0
  const clock = new VirtualClock(Date.UTC(2026, 0, 1), () => `id${String(ids++).padStart(22, '0')}`)
  const options = { pause: (ms: number) => clock.sleep(ms), busy: () => clock.stir() }
  const [primary, fallback] = await Promise.all([startUpstream(options), startUpstream(options)])
  let request = 0
  let calls = 0
  primary.script(call => {
    if (fault.requests && request < DOWN) return { status: 503 }
    return fault.primary(calls++, call, surface.primary)
  })
  const said = same ? PRIMARY_TEXT : OTHER_TEXT
  fallback.script(call => fault.fallback?.(call, surface.fallback) ?? { text: said })
  const gateway = await startGateway({
    upstream: primary,
    provider: surface.primary,
    clock,
    settings: settingsOf(cell, fallback.url),
  })
  const { port } = new URL(gateway.url)
  const all: Seen[] = []
  let secs = 0
  try {
    for (; request < (fault.requests ?? 1); request++) {
      const from = clock.monotonic()
      const asked = surface.request(`${fault.id} ${request}`, stream)
      const late = AbortSignal.timeout(60_000) // of real time: a reply that never ends fails its cell
      const received = await clock.during(send(Number(port), asked, clock, late))
      all.push(seen(surface, received))
      secs = Math.max(secs, (clock.monotonic() - from) / 1000)
      clock.advance(fault.requests ? 4000 : 0)
    }
  } finally {
    await gateway.close()
    await Promise.all([primary.close(), fallback.close()])
  }
  const last = all.at(-1)
  if (!last) throw new Error('a fault has at least one request')
  const names = { primary: surface.primary, fallback: surface.fallback }
  const run: Run = {
    stream,
    seen: last,
    all,
    secs,
    calls: { primary: primary.calls.length, fallback: fallback.calls.length },
    names,
  }
  return { run, verdict: verdictOf(cell, run, chained ? [PRIMARY_TEXT, said] : [PRIMARY_TEXT]) }
}

function verdictOf({ fault, chained }: Cell, run: Run, texts: readonly string[]): Verdict {
  const sound = run.all.every(
    ({ whole, error, text, ids }) => (whole ? texts.includes(text) && ids <= 1 : error) && !(whole && error),
  )
  if (!sound || run.secs > PATIENCE_SECS) return 'fail'
  if (chained && fault.pass(run)) return 'pass'
  if (run.all.some(({ whole }) => !whole)) return 'safe'
  return chained ? 'partial' : 'pass'
}

/** The settings file's own lines, as variables: the stub's address is known only now. */
function settingsOf({ tuned, chained, surface, settings: more }: Cell, url: string): Record<string, string> {
  const text = TUNED.replace('FALLBACK_URL', url).replace('FALLBACK', surface.fallback)
  const { fallback_providers: entries, ...lines } = parse(text)
  const plain = [{ provider: surface.fallback, url, api_key: 'k', model: 'backup-model' }]
  const settings = tuned
    ? Object.fromEntries(Object.entries(lines).map(([key, value]) => [`SERVICE__${key.toUpperCase()}`, String(value)]))
    : {}
  return {
    ...settings,
    ...(chained && { SERVICE__FALLBACK_PROVIDERS: JSON.stringify(tuned ? entries : plain) }),
    ...more,
  }
}
