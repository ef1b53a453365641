import { z } from 'zod'
import { dataDirOf } from '../../config/data-dir.ts'
import { loadSettings } from '../../config/load.ts'
import { deriveValues } from '../../config/providers.ts'
import { table } from '../../ui-tui/text-table.ts'
import { type AdminOptions, askAdmin } from './ask-admin.ts'
import { isAnyRunning } from './pid-file.ts'

export interface ProvidersOptions extends AdminOptions {
  readonly json?: boolean
}

const shown = z.object({
  active_provider: z.string().nullable(),
  providers: z.array(
    z.looseObject({
      name: z.string(),
      active: z.boolean(),
      status: z.string(),
      model: z.string().nullable(),
      endpoint: z.string().nullable(),
      api_key_configured: z.boolean(),
      requests_total: z.number(),
      errors_total: z.number(),
      keys: z.array(
        z.looseObject({
          masked_key: z.string(),
          position: z.number().optional(),
          label: z.string().nullable(),
          status: z.string(),
          cooldown_until: z.string().nullable(),
        }),
      ),
    }),
  ),
})

/** `deflector providers`: the chain of the running gateway; where none runs here, the one of the settings. */
export async function providers(options: ProvidersOptions): Promise<void> {
  const { gatewayUrl, port, pidFile } = options
  const isNamed = gatewayUrl !== undefined || port !== undefined || pidFile !== undefined
  const lines =
    isNamed || isAnyRunning(dataDirOf(process.env, process.cwd())) ? await running(options) : configured(options)
  process.stdout.write(`${lines.join('\n')}\n`)
}

async function running(options: ProvidersOptions): Promise<string[]> {
  const found = await askAdmin(options, shown, { path: '/debug/providers', surface: 'providers-admin' })
  if (options.json) return [JSON.stringify(found, null, 2)]
  const rows = found.providers.map(one => [
    one.name,
    one.active ? 'active' : '',
    one.status,
    one.model ?? '-',
    `${one.requests_total}`,
    `${one.errors_total}`,
    keysText(one),
    one.endpoint ?? '-',
  ])
  const head = ['provider', '', 'status', 'model', 'requests', 'errors', 'keys', 'endpoint']
  return [...table([head, ...rows], LEFT), ...coolingLines(found.providers)]
}

type Key = z.output<typeof shown>['providers'][number]['keys'][number]

const LEFT = [0, 1, 2, 3, 6, 7]

function keysText({ keys, api_key_configured }: z.output<typeof shown>['providers'][number]): string {
  if (keys.length === 0) return api_key_configured ? 'set' : 'none'
  const cooling = keys.filter(isCooling).length
  return cooling === 0 ? `${keys.length}` : `${keys.length}, ${cooling} cooling down`
}

const isCooling = ({ status }: Key): boolean => status === 'cooling_down'

/** Below the table, as a cell is too narrow for names. */
function coolingLines(providers: z.output<typeof shown>['providers']): string[] {
  const lines = providers.flatMap(({ name, keys }) => keys.filter(isCooling).map(key => `${name}: ${coolingText(key)}`))
  return lines.length === 0 ? [] : ['', ...lines]
}

/** `backup cools down for 12 s`; a key without a label is known by its ends, and a short one by its place. */
function coolingText({ label, masked_key, position, cooldown_until }: Key): string {
  const name = label ?? (masked_key === '…' && position !== undefined ? `key ${position}` : masked_key)
  const leftMs = cooldown_until === null ? 0 : Date.parse(cooldown_until) - Date.now()
  return `${name} cools down for ${Math.max(1, Math.ceil(leftMs / 1000))} s`
}

function configured({ json }: ProvidersOptions): string[] {
  const { provider_chain, provider_entries } = deriveValues(loadSettings({ cwd: process.cwd(), env: process.env }))
  const chain = provider_chain.map(name => {
    const { use = name, options = {} } = provider_entries[name] ?? {}
    return {
      name,
      vendor: use,
      model: textOf(options.model),
      api_key_configured: options.api_key !== undefined || options.provider_keys !== undefined,
    }
  })
  if (json) return [JSON.stringify({ active_provider: null, providers: chain }, null, 2)]
  const rows = chain.map(one => [one.name, one.vendor, one.model ?? '-', one.api_key_configured ? 'set' : '-'])
  return [
    'no gateway is running here; the settings say:',
    '',
    ...table([['provider', 'vendor', 'model', 'key'], ...rows], [0, 1, 2, 3]),
  ]
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
