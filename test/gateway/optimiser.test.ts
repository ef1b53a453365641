import { type ChatFormat, isObject } from 'deflector'
import { chatCompletions } from 'deflector/formats/chat-completions'
import { generateContent } from 'deflector/formats/generate-content'
import { messages } from 'deflector/formats/messages'
import { responses } from 'deflector/formats/responses'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { minify } from '../../plugins/layers/optimiser/markdown/minify.ts'
import { AGENT_SESSIONS, type AgentSession } from '../bench/agent-bodies.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { startUpstream } from '../support/upstream.ts'

/** The vendor of each format, whose clients' bytes pass through. */
const VENDORS = {
  'chat-completions': 'openai',
  messages: 'anthropic',
  responses: 'openai-responses',
  'generate-content': 'gemini',
} as const

const FORMATS: Readonly<Record<AgentSession['format'], ChatFormat>> = {
  'chat-completions': chatCompletions,
  messages,
  responses,
  'generate-content': generateContent,
}

const withoutMarks = (value: unknown): string =>
  JSON.stringify(value, (key, member: unknown) => (key === 'cache_control' ? undefined : member))

/** What a vendor reads of a body, piece by piece in its order: a vendor's cache holds the first ones of them. */
function piecesOf(body: Record<string, unknown>): string[] {
  const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : value === undefined ? [] : [value])
  const { tools, system, systemInstruction, instructions } = body
  const said = [body.messages, body.input, body.contents].flatMap(list)
  return [...list(tools), ...list(system), ...list(systemInstruction), ...list(instructions), ...said].map(withoutMarks)
}

async function sentOf(gateway: TestGateway, { path, headers }: AgentSession, bodies: readonly object[]) {
  const saved: number[] = []
  for (const body of bodies) {
    const { status, headers: answered, text } = await gateway.send(path, JSON.stringify(body), headers)
    assert.is(status, 200, text)
    saved.push(Number(answered.get('x-service-context-optimized')?.slice('bytes_saved='.length) ?? 0))
  }
  return saved
}

const whole = (bodies: readonly object[]): object[] => bodies.map(body => ({ ...body, stream: false }))

for (const session of AGENT_SESSIONS) {
  for (const more of [
    {},
    { SERVICE__CONTEXT_OPTIMIZER_TOOL_RESULTS: 'true', SERVICE__CONTEXT_OPTIMIZER_BREAKPOINTS: 'true' },
  ]) {
    const options = Object.keys(more).length > 0 ? ', with all that is optional' : ''
    test(`each turn begins as the one before did: ${session.format}, ${session.name}${options}`, async () => {
      const upstream = await startUpstream()
      const gateway = await startGateway({ upstream, provider: VENDORS[session.format], settings: more })
      const isGoogle = session.format === 'generate-content'
      const turns = isGoogle ? session.turns : whole(session.turns)
      await sentOf(gateway, session, turns)
      const sent = upstream.calls.map(({ body }) => piecesOf(isObject(body) ? body : {}))
      assert.is(sent.length, turns.length)
      for (const [at, pieces] of sent.entries())
        if (at > 0) assert.equal(pieces.slice(0, sent[at - 1]?.length), sent[at - 1], `turn ${at + 1}`)
    })
  }
}

/** Instructions of a body, as their vendor reads them. */
const instructionsIn = (body: unknown, format: ChatFormat): string[] =>
  (isObject(body) ? (format.instructions?.(body) ?? []) : []).map(({ text }) => text)

test('no block of instructions is absent from what a vendor gets', async () => {
  for (const session of AGENT_SESSIONS) {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider: VENDORS[session.format] })
    await sentOf(gateway, session, session.turns)
    const format = FORMATS[session.format]
    for (const [at, turn] of session.turns.entries()) {
      const got = instructionsIn(upstream.calls[at]?.body, format).join('\n\n')
      for (const block of instructionsIn(turn, format).flatMap(text => minify(text).split(/\n{2,}/)))
        assert.ok(got.includes(block.trim()), `${session.name}, turn ${at + 1}: ${block}`)
    }
  }
})

test('whole and streamed answers say how much was saved, where something was', async () => {
  const plain = AGENT_SESSIONS.filter(({ name }) => name === "a vendor's manual alone" || name === 'rules of a user')
  assert.is(plain.length, 2)
  for (const session of AGENT_SESSIONS) {
    const upstream = await startUpstream()
    const gateway = await startGateway({ upstream, provider: VENDORS[session.format] })
    const [first = {}] = session.turns
    for (const body of session.format === 'generate-content' ? [first] : [first, { ...first, stream: false }]) {
      const { headers } = await gateway.send(session.path, JSON.stringify(body), { 'cache-control': 'no-cache' })
      const said = headers.get('x-service-context-optimized')
      if (plain.includes(session)) assert.is(said, null, session.name)
      else assert.match(said ?? '', /^bytes_saved=[1-9]\d*$/, session.name)
    }
  }
})

test('where no vendor was asked, nothing was saved', async () => {
  const gateway = await startGateway({ settings: { SERVICE__OFFLINE_MODE: 'true' } })
  const rules = { role: 'system', content: '# Rules\n\n<!-- nobody reads this -->\n\nBe brief.' }
  const body = { model: 'm', messages: [rules, { role: 'user', content: 'hi' }] }
  const { status, headers } = await gateway.send('/v1/chat/completions', JSON.stringify(body))
  assert.equal([status, headers.get('x-service-context-optimized')], [503, null])
})

test.run()
