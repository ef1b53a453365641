import { type Call, defineSurface, GatewayError, isObject, sendJson } from 'deflector'
import { type Changed, type Control, type ControlledSetting, control } from 'deflector/facets/control'
import { checked } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { readOwnJson } from 'deflector/formats/own-json'
import { z } from 'zod'

/** Bytes of a body at these endpoints: lists of providers and routing rules may be long. */
const LIMIT = 256 << 10

const name = z.string('must be the name of a provider').min(1, 'must be the name of a provider')
const position = z.int('must be a whole number')

const added = z.looseObject({ position: position.optional() })
const edited = z.looseObject({ name })
const removed = z.looseObject({ name })
const moved = z.looseObject({ name, position })

export default defineSurface({
  name: 'config-admin',
  needsFlow: true,
  summary:
    'GET and POST /api/admin/config, POST /api/admin/providers/add, /edit, /remove and /move: the settings, for the operator',
  options: z.strictObject({}),
  apply(host) {
    const options = { format: native, admin: true }
    const offered = host.offers(control)
    const changing = (path: string, change: (control: Control, body: Record<string, unknown>) => Promise<Changed>) =>
      host.route(
        'POST',
        path,
        async call => reply(call, await change(steering(), await readOwnJson(call, LIMIT))),
        options,
      )

    host.route('GET', '/api/admin/config', show, options)
    changing('/api/admin/config', (control, body) => control.write(body))
    changing('/api/admin/providers/add', (control, body) => {
      const { position, ...entry } = checked(added, body)
      return control.changeProviders({ kind: 'add', entry, position })
    })
    changing('/api/admin/providers/edit', (control, body) => {
      const { name, ...entry } = checked(edited, body)
      return control.changeProviders({ kind: 'edit', name, entry })
    })
    changing('/api/admin/providers/remove', (control, body) =>
      control.changeProviders({ kind: 'remove', ...checked(removed, body) }),
    )
    changing('/api/admin/providers/move', (control, body) =>
      control.changeProviders({ kind: 'move', ...checked(moved, body) }),
    )

    function show(call: Call): void {
      const control = steering()
      const body = { config_path: control.file, settings: nested(control.settings()) }
      sendJson(call, body, { headers: { 'cache-control': 'no-store' } })
    }

    function steering(): Control {
      const [first] = offered.values()
      if (!first) throw new GatewayError('not_found', 'what runs this gateway lets nobody see or change its settings')
      return first
    }
  },
})

const reply = (call: Call, { message, restartRequired }: Changed): void =>
  sendJson(call, { ok: true, message, restart_required: restartRequired })

/** `server.port` stands in `server`. */
function nested(settings: readonly ControlledSetting[]): Record<string, unknown> {
  const root: Record<string, unknown> = {}
  for (const { key, ...setting } of settings) {
    const names = key.split('.')
    const last = names.pop() ?? key
    let table = root
    for (const one of names) {
      const inside = table[one]
      const next = isObject(inside) ? inside : {}
      table[one] = next
      table = next
    }
    table[last] = setting
  }
  return root
}
