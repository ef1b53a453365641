import { createRequire } from 'node:module'
import { type Call, defineSurface, sendJson } from 'deflector'
import { books } from 'deflector/facets/books'
import { type CacheControls, cacheControls } from 'deflector/facets/cache-controls'
import { type ContextSavings, contextSavings } from 'deflector/facets/context-savings'
import { health } from 'deflector/facets/health'
import { providerStatuses } from 'deflector/facets/provider-status'
import { quotaStatus } from 'deflector/facets/quota-status'
import { requestHistory } from 'deflector/facets/request-history'
import { native } from 'deflector/formats/native'
import { z } from 'zod'

const { version } = z.object({ version: z.string() }).parse(createRequire(import.meta.url)('deflector/package.json'))

/** The label of the layer in which a small local model answers. */
const LOCAL_MODEL = 'l2'

export default defineSurface({
  name: 'overview',
  needsFlow: true,
  summary: 'GET /api/admin/overview: the gateway in one object, for the first page of a dashboard',
  options: z.strictObject({}),
  apply(host) {
    const processStart = host.keep('health:started', () => host.clock.now())
    const ledgers = host.offers(books)
    const caches = host.offers(cacheControls, 'layer')
    const chains = host.offers(providerStatuses, 'layer')
    const healths = host.offers(health, 'layer')
    const histories = host.offers(requestHistory)
    const quotas = host.offers(quotaStatus)
    const shorteners = host.offers(contextSavings, 'layer')

    host.route('GET', '/api/admin/overview', overview, { format: native, admin: true })

    async function overview(call: Call): Promise<void> {
      const providers = [...chains.values()].flatMap(chain => chain.statuses())
      const active = providers.find(provider => provider.active) ?? providers[0]
      const body = {
        version,
        provider: active?.name ?? null,
        model: active?.model ?? null,
        uptime_secs: Math.floor((host.clock.now() - processStart) / 1000),
        ...(await usage()),
        l1a_entries: await entriesOf('l1a'),
        l1b_entries: await entriesOf('l1b'),
        request_logging_enabled: [...histories.values()].some(({ path }) => path !== undefined),
        slm_router_enabled: layersOf(LOCAL_MODEL).some(name => healths.get(name)?.() !== 'disabled'),
        offline_mode: [...chains.values()].some(({ offline }) => offline),
        quota_warnings: [...quotas.values()].flatMap(status => status().flatMap(({ warnings }) => warnings)),
        context_optimizer: contextSaved(),
      }
      sendJson(call, body, { headers: { 'cache-control': 'no-store' } })
    }

    /** Of all layers that shorten requests, since the gateway began. */
    function contextSaved() {
      const all = [...shorteners.values()].map(read => read())
      const sum = (of: (saved: ContextSavings) => number): number => all.reduce((total, one) => total + of(one), 0)
      return {
        requests_shortened: sum(({ requests }) => requests),
        bytes_saved: sum(({ bytesSaved }) => bytesSaved),
        requests_marked: sum(({ requestsMarked }) => requestsMarked),
        cached_tokens_read: sum(({ tokensRead }) => tokensRead),
        cached_tokens_written: sum(({ tokensWritten }) => tokensWritten),
      }
    }

    /** Of the window that usage summaries have. */
    async function usage() {
      const [ledger] = ledgers.values()
      await ledger?.settled()
      const totals = ledger?.totals(ledger.windowHours)
      const { requests = 0, deflected = 0 } = totals ?? {}
      return {
        total_requests: requests,
        total_deflected: deflected,
        deflection_rate: requests === 0 ? 0 : deflected / requests,
        total_tokens: totals ? totals.promptTokens + totals.completionTokens : 0,
        estimated_cost_usd: totals?.costUsd ?? 0,
        estimated_saved_cost_usd: totals?.savedCostUsd ?? 0,
      }
    }

    /** Layers of one label may share a store, which counts all of its entries for each of them. */
    async function entriesOf(label: string): Promise<number> {
      const names = layersOf(label)
      const counts = [...caches].filter(([name]) => names.includes(name)).map(([, controls]) => entries(controls))
      return Math.max(0, ...(await Promise.all(counts)))
    }

    /** A store that is away is no reason to show nothing. */
    async function entries(controls: CacheControls): Promise<number> {
      try {
        return z.object({ entries: z.number() }).safeParse(await controls.stats()).data?.entries ?? 0
      } catch {
        return 0
      }
    }

    function layersOf(label: string): string[] {
      return [...host.status().layers].flatMap(([name, of]) => (of === label ? [name] : []))
    }
  },
})
