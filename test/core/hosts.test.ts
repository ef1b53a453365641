import { type Call, defineSurface, type Plugin, type SurfaceHost, sendJson, textAnswer, wholeAnswer } from 'deflector'
import { listener } from 'deflector/facets/listener'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import http from '../../surfaces/http/index.ts'
import { plainFormat, testHost } from '../contracts/host.ts'

const WORDS = ['serve', 'admit', 'lookup', 'inspect', 'put'] as const

/** What a surface asks of its flow under each word. */
const ask: Readonly<Record<(typeof WORDS)[number], (host: SurfaceHost, call: Call) => Promise<unknown>>> = {
  serve: (host, call) => host.serve(call, plainFormat),
  admit: (host, call) => host.admit(call),
  lookup: (host, { id, headers, cancellation }) => host.lookup({ id, headers, cancellation, namespace: 'n' }),
  inspect: (host, { id, headers, cancellation }) => host.inspect({ id, headers, cancellation, namespace: 'n' }),
  put: (host, { id, headers, cancellation }) => {
    const { completion } = textAnswer('yes', { model: 'm' })
    return host.put({ id, headers, cancellation, namespace: 'n' }, wholeAnswer({ completion }))
  },
}

/** A surface with one route for each word; its route says what was thrown. */
const asker = (needsFlow: boolean): Plugin =>
  defineSurface({
    name: 'asker',
    needsFlow,
    options: z.strictObject({}),
    apply(host) {
      for (const word of WORDS)
        host.route('GET', `/${word}`, async call => {
          const said = await Promise.resolve()
            .then(() => ask[word](host, call))
            .then(
              () => 'asked',
              (error: unknown) => (error instanceof Error ? error.message : String(error)),
            )
          if (call.status === undefined) sendJson(call, { said })
        })
    },
  })

async function replies(plugin: Plugin): Promise<string[]> {
  const under = testHost('surface')
  under.apply(plugin)
  under.apply(http, { port: 0 })
  await under.start()
  under.ready()
  const url = `http://127.0.0.1:${under.offer(listener)?.()?.port}`
  try {
    return await Promise.all(WORDS.map(async word => (await fetch(`${url}/${word}`)).text()))
  } finally {
    await under.dispose()
  }
}

test('a surface whose definition does not say needsFlow cannot ask a flow, even where the file names one', async () => {
  const told = await replies(asker(false))
  assert.is(told.length, WORDS.length)
  for (const text of told) assert.match(text, 'add \\"needsFlow: true\\" to its definition')
})

test('a surface whose definition says needsFlow asks its flow', async () => {
  for (const text of await replies(asker(true))) assert.not.match(text, 'needsFlow')
})

test.run()
