import { type Call, defineSurface, GatewayError, sendJson } from 'deflector'
import { type Changed, type Control, control, type Expected } from 'deflector/facets/control'
import { flowTraffic } from 'deflector/facets/flow-traffic'
import { runningPipeline } from 'deflector/facets/running-pipeline'
import { checked } from 'deflector/formats/body'
import { native } from 'deflector/formats/native'
import { readOwnJson } from 'deflector/formats/own-json'
import { z } from 'zod'
import { countedEdges, countedNodes } from './counted-graph.ts'
import { settingsTree } from './settings-tree.ts'

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
    'GET and POST /api/admin/config, /api/admin/config/check and /reload, GET /api/admin/pipeline, POST /api/admin/providers/add, /edit, /remove and /move: the settings and the pipeline, for the operator',
  options: z.strictObject({}),
  apply(host) {
    const options = { format: native, admin: true }
    const offered = host.offers(control)
    const traffic = host.offers(flowTraffic, 'observer')
    const running = host.offers(runningPipeline)
    const changing = (
      path: string,
      change: (control: Control, body: Record<string, unknown>, expected: Expected) => Promise<Changed>,
    ) =>
      host.route(
        'POST',
        path,
        async call => reply(call, await change(steering(), await readOwnJson(call, LIMIT), expectedOf(call))),
        options,
      )

    host.route('GET', '/api/admin/config', show, options)
    host.route('GET', '/api/admin/pipeline', showPipeline, options)
    host.route('POST', '/api/admin/config/check', check, options)
    host.route('POST', '/api/admin/config/reload', async call => reply(call, await steering().reload()), options)
    changing('/api/admin/config', (control, body, expected) => control.write(body, expected))
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
      const { path, ...file } = control.settingsFile()
      sendJson(
        call,
        { config_path: path, ...file, waiting: control.waiting(), settings: settingsTree(control.settings()) },
        FRESH,
      )
    }

    async function check(call: Call): Promise<void> {
      const depth = { ...expectedOf(call), quick: call.query.get('quick') === 'true' }
      const { inEffect, untilRestart, ...checked } = await steering().check(await readOwnJson(call, LIMIT), depth)
      sendJson(
        call,
        { ok: checked.problems.length === 0, ...checked, in_effect: inEffect, until_restart: untilRestart },
        FRESH,
      )
    }

    function showPipeline(call: Call): void {
      const [pipeline] = running.values()
      if (!pipeline) throw new GatewayError('not_found', 'what runs this gateway does not tell how it is wired')
      const [counted] = traffic.values()
      const { file, generation, ...graph } = pipeline()
      const since = counted ? new Date(counted.since).toISOString() : null
      const edges = countedEdges(graph, counted)
      sendJson(call, { file, generation, since, ...graph, nodes: countedNodes(graph, counted), edges }, FRESH)
    }

    function steering(): Control {
      const [first] = offered.values()
      if (!first) throw new GatewayError('not_found', 'what runs this gateway lets nobody see or change its settings')
      return first
    }
  },
})

const FRESH = { headers: { 'cache-control': 'no-store' } }

const expectedOf = ({ query }: Call): Expected => ({ revision: query.get('revision') ?? undefined })

const reply = (call: Call, { message, inEffect, untilRestart, waiting, revision }: Changed): void =>
  sendJson(call, {
    ok: true,
    message,
    restart_required: untilRestart.length > 0,
    in_effect: inEffect,
    until_restart: untilRestart,
    waiting,
    revision,
  })
