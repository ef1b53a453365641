import { isObject } from 'deflector'
import * as assert from 'uvu/assert'

/** One event of a stream: a whole response with the next parts. */
// biome-ignore lint/suspicious/noExplicitAny: a test names the fields it looks at, and fails where they are not
export type ContentEvent = any

/** Reads an event stream of the generate-content dialect and fails unless it keeps every rule of it. */
export function checkContentStream(text: string): ContentEvent[] {
  assert.ok(text.endsWith('\n\n'), 'the last event is closed')
  assert.not.match(text, /^:|^event:|\[DONE\]/m)
  const frames = text
    .split('\n\n')
    .map(frame => frame.replace(/^\n+/, '')) // what keeps a connection alive
    .filter(frame => frame !== '')
  return checkEvents(
    frames.map(frame => {
      assert.match(frame, /^data: \{/)
      assert.not(frame.includes('\n'), 'one line an event')
      return JSON.parse(frame.slice('data: '.length))
    }),
  )
}

/** The same for a stream that is one JSON list. */
export function checkContentList(text: string): ContentEvent[] {
  const list: unknown = JSON.parse(text)
  assert.ok(Array.isArray(list), 'a list')
  return checkEvents(list)
}

function checkEvents(events: readonly unknown[]): ContentEvent[] {
  assert.ok(events.length > 0, 'there is an event')
  const last = events.length - 1
  const ids = new Set<unknown>()
  for (const [at, event] of events.entries()) {
    if (!isObject(event)) throw new Error('an event is an object')
    assert.not('error' in event, 'an answer without a failure')
    const { candidates, responseId, modelVersion } = event
    ids.add(responseId)
    assert.type(responseId, 'string')
    assert.type(modelVersion, 'string')
    if (!Array.isArray(candidates)) throw new Error('an event has candidates')
    assert.is(candidates.length, 1)
    const [candidate] = candidates
    assert.is(candidate.index, 0)
    assert.is(candidate.content.role, 'model')
    // Client libraries drop an answer of which one event has no parts.
    assert.ok(candidate.content.parts.length > 0, 'an event has parts')
    for (const part of candidate.content.parts) checkPart(part)
    assert.is('finishReason' in candidate, at === last, 'the last event, and no other, has a finish reason')
  }
  assert.is(ids.size, 1, 'one response')
  return [...events]
}

function checkPart(part: unknown): void {
  if (!isObject(part)) throw new Error('a part is an object')
  const kinds = ['text', 'functionCall', 'inlineData', 'executableCode', 'codeExecutionResult'].filter(
    kind => kind in part,
  )
  assert.is(kinds.length, 1, `a part is one thing, not ${kinds.join(' and ')}`)
  if ('functionCall' in part) {
    const { functionCall: call } = part
    if (!isObject(call)) throw new Error('a call is an object')
    assert.type(call.name, 'string')
    assert.ok(isObject(call.args), 'arguments are an object, and whole')
  }
}
