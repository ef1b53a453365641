import { type AnswerBlock, type AnswerEvent, type Completion, type Frame, promptOf, replay } from 'deflector'
import { responses } from 'deflector/formats/responses'
import { sseEvents, sseText } from 'deflector/formats/sse'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { mayComeAgain, SameBeginning } from '../../../../plugins/layers/cloud/same-beginning.ts'
import { checkResponsesGrammar } from '../../../support/grammar/responses.ts'

const body = { model: 'm', stream: true, store: false, input: 'hi' }
const prompt = promptOf(responses, Buffer.from(JSON.stringify(body)), body)

const LONG = 'a heron is a bird with long legs; 鷺は鳥です 🐦 and no words of it come twice, not in any of its pieces'
const TEXT: AnswerBlock = { type: 'text', text: LONG, citations: [{ url: 'https://example.org', title: 'Here' }] }
const CALL: AnswerBlock = { type: 'tool_call', id: 'call_1', name: 'find', args: '{"bird":"heron"}' }
const OTHER_CALL: AnswerBlock = { type: 'tool_call', id: 'call_2', name: 'count', args: '{}' }
const FREE: AnswerBlock = { type: 'tool_call', id: 'call_3', name: 'patch', args: '*** Begin {', kind: 'custom' }
const SUMMARY: AnswerBlock = { type: 'reasoning', text: 'birds with long legs' }
const PROVEN: AnswerBlock = { type: 'reasoning', text: 'birds', signature: 'sealed', origin: 'responses' }
const REFUSAL: AnswerBlock = { type: 'refusal', text: 'no more of it' }
const SEARCH: AnswerBlock = {
  type: 'opaque',
  format: 'responses',
  value: { type: 'web_search_call', id: 'ws_1', status: 'completed' },
}

const completionOf = (blocks: readonly AnswerBlock[]): Completion => ({
  id: 'up',
  model: 'vendor-model',
  created: 1_700_000_000,
  blocks,
  stop: { reason: blocks.some(({ type }) => type === 'tool_call') ? 'tool_use' : 'stop' },
  usage: { input: 9, output: 5 },
})

/** The frames in which a vendor would stream this, and what each of them says. */
async function framesOf(blocks: readonly AnswerBlock[]): Promise<Frame[]> {
  const encoder = responses.streamEncoder(prompt, { id: 'up', created: 1_700_000_000, layer: '' })
  return read([...replay(completionOf(blocks))].map(event => encoder.push(event)).join(''))
}

async function read(text: string): Promise<Frame[]> {
  const decoder = responses.streamDecoder()
  const frames: Frame[] = []
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  for await (const event of sseEvents(bytes())) frames.push({ events: decoder.push(event), wire: sseText(event) })
  return frames
}

const eventsOf = (frames: readonly Frame[]): AnswerEvent[] => frames.flatMap(({ events }) => [...events])

/** All of the stream as its client has it after a break behind `cut` frames; `undefined` where it ends there. */
async function resumed(frames: readonly Frame[], cut: number): Promise<string | undefined> {
  const sent = frames.slice(0, cut)
  const encoder = mayComeAgain(eventsOf(sent)) ? responses.resumedEncoder?.(sent, prompt) : undefined
  if (!encoder) return undefined
  const same = new SameBeginning(eventsOf(sent), undefined)
  const rest = eventsOf(frames).flatMap(event => same.push(event))
  return sent.map(({ wire }) => wire).join('') + rest.map(event => encoder.push(event)).join('')
}

const SAMPLES: Readonly<Record<string, readonly AnswerBlock[]>> = {
  'a text with its source': [TEXT],
  'a text and two calls': [TEXT, CALL, OTHER_CALL],
  'a text and a refusal': [{ type: 'text', text: LONG }, REFUSAL],
  'a free-form call': [TEXT, FREE],
}

for (const [what, blocks] of Object.entries(SAMPLES)) {
  test(`${what}, broken off anywhere, goes on by the rules of the dialect and says the same`, async () => {
    const frames = await framesOf(blocks)
    const whole = checkResponsesGrammar(frames.map(({ wire }) => wire).join('')).at(-1)?.response
    let ended = 0
    for (let cut = 2; cut < frames.length - 1; cut++) {
      const text = await resumed(frames, cut)
      if (text === undefined) {
        // Nobody is asked to make the same call again.
        if (mayComeAgain(eventsOf(frames.slice(0, cut)))) ended++
        continue
      }
      const last = checkResponsesGrammar(text).at(-1)?.response
      const words = (items: readonly { content?: readonly object[]; arguments?: string; input?: string }[]) =>
        items.map(({ content, ...item }) => content ?? item.arguments ?? item.input)
      assert.equal(words(last?.output), words(whole?.output), `after ${cut} frames`)
      assert.is(last?.id, whole?.id)
      assert.is(last?.created_at, whole?.created_at)
    }
    assert.is(ended, 0, `${ended} of ${frames.length} are not gone on with`)
  })
}

test('a summary that is open goes on, one that was closed does not', async () => {
  const frames = await framesOf([SUMMARY, TEXT])
  const at = (type: string): number => frames.findIndex(({ wire }) => wire.includes(type)) + 1
  assert.ok(await resumed(frames, at('reasoning_summary_text.delta')))
  assert.is(await resumed(frames, at('reasoning_summary_text.done')), undefined)
  assert.ok(await resumed(frames, at('output_item.done')), 'the next item may be anything')
})

test('what only its vendor can go on with ends there', async () => {
  const none = async (blocks: readonly AnswerBlock[], last: string, edit = (wire: string) => wire): Promise<void> => {
    const frames = await framesOf(blocks)
    const cut = frames.findLastIndex(({ wire }) => wire.includes(last)) + 1
    const sent = frames.slice(0, cut).map(({ events, wire }) => ({ events, wire: edit(wire) }))
    assert.ok(cut > 2)
    assert.is(responses.resumedEncoder?.(sent, prompt), undefined, last)
  }
  // Vendors show the proof with the item's beginning.
  await none([PROVEN], 'reasoning_summary_part.added', wire =>
    wire.replace('"summary":[]', '"summary":[],"encrypted_content":"sealed"'),
  )
  await none([SEARCH], 'output_item.added')
  await none([FREE], 'custom_tool_call_input.done')
  await none([TEXT, CALL], 'function_call_arguments.delta', wire =>
    wire.replace('"output_index":1', '"output_index":2'),
  )
  await none([TEXT], 'output_text.delta', wire => wire.replace('"content_index":0', '"content_index":1'))
  assert.is(responses.resumedEncoder?.([], prompt), undefined)
})

test('a message keeps its phase, and items that are done are told as they were', async () => {
  const phased = (await framesOf([TEXT])).map(frame => ({
    ...frame,
    wire: frame.wire.replaceAll('"role":"assistant"', '"role":"assistant","phase":"final_answer"'),
  }))
  for (const cut of [4, phased.length - 2]) {
    const text = (await resumed(phased, cut)) ?? ''
    assert.is(checkResponsesGrammar(text).at(-1)?.response?.output[0].phase, 'final_answer', `after ${cut} frames`)
  }
})

test('words behind a message that was done are a message of their own', async () => {
  const frames = await framesOf([{ type: 'text', text: 'one ' }])
  const sent = frames.slice(0, -1)
  const encoder = responses.resumedEncoder?.(sent, prompt)
  const events: AnswerEvent[] = [
    { type: 'text', text: 'two' },
    { type: 'stop', stop: { reason: 'stop' } },
    { type: 'end' },
  ]
  const text = sent.map(({ wire }) => wire).join('') + events.map(event => encoder?.push(event)).join('')
  const { output } = checkResponsesGrammar(text).at(-1)?.response ?? {}
  assert.equal(
    output.map((item: { content: { text: string }[] }) => item.content[0]?.text),
    ['one ', 'two'],
  )
})

test.run()
