import { isObject, type JsonObject, type WireEvent } from 'deflector'
import { exactJson } from '../exact-json.ts'

/** The chunks that a whole answer would have come in: few, with long texts, and nothing of it left out. */
export function* chunksOfWhole(body: JsonObject): Generator<WireEvent> {
  const { choices, usage, object: _, ...members } = body
  // A small member stands in every chunk, as vendors have it; a list or object is said once.
  const small = Object.fromEntries(Object.entries(members).filter(([, value]) => !isLarge(value)))
  let once = Object.fromEntries(Object.entries(members).filter(([, value]) => isLarge(value)))
  const event = (more: JsonObject): WireEvent => {
    const { id, created, model, ...others } = small
    const chunk = { id, object: 'chat.completion.chunk', created, model, ...others, ...once, ...more }
    once = {}
    return { data: exactJson(chunk) }
  }
  for (const choice of Array.isArray(choices) ? choices : [])
    if (isObject(choice)) for (const one of deltasOf(choice)) yield event({ choices: [one] })
  if (isObject(usage)) yield event({ choices: [], usage })
  yield { data: '[DONE]' }
}

const isLarge = (value: unknown): boolean => typeof value === 'object' && value !== null

/** The choices of the chunks that one choice comes in. */
function* deltasOf({ message, finish_reason, logprobs, index = 0, ...members }: JsonObject): Generator<JsonObject> {
  const hasLogprobs = logprobs !== undefined
  const one = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({
    index,
    delta,
    ...(hasLogprobs && { logprobs: null }),
    finish_reason: null,
    ...more,
  })
  const { role = 'assistant', content, refusal, tool_calls, ...others } = isObject(message) ? message : {}
  yield one({ role, content: typeof content === 'string' ? '' : null, ...(refusal !== undefined && { refusal: null }) })
  for (const name of ['reasoning_content', 'reasoning']) {
    if (typeof others[name] !== 'string') continue
    yield one({ [name]: others[name] })
    delete others[name]
  }
  if (Object.keys(others).length > 0) yield one(others)
  const tokens = isObject(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : []
  if (typeof content === 'string' && content !== '' && spell(tokens, content)) {
    for (const token of tokens) yield one({ content: token.token }, { logprobs: { content: [token], refusal: null } })
    const { content: _, ...rest } = isObject(logprobs) ? logprobs : {}
    if (Object.values(rest).some(isLarge)) yield one({}, { logprobs: rest })
  } else {
    if (typeof content === 'string' && content !== '') yield one({ content })
    if (Array.isArray(content)) for (const part of content) yield one({ content: [part] })
    if (isLarge(logprobs)) yield one({}, { logprobs })
  }
  if (typeof refusal === 'string') yield one({ refusal })
  for (const [place, call] of (Array.isArray(tool_calls) ? tool_calls : []).entries()) yield* callOf(place, call, one)
  yield one({}, { ...members, finish_reason })
}

/** Do these tokens make this text? Half a character is a token too, of which the text shows nothing. */
const spell = (tokens: readonly unknown[], text: string): tokens is readonly { readonly token: string }[] =>
  tokens.every(token => isObject(token) && typeof token.token === 'string') &&
  tokens.map(token => (isObject(token) ? token.token : '')).join('') === text

function* callOf(index: number, call: unknown, one: (delta: JsonObject) => JsonObject): Generator<JsonObject> {
  if (!isObject(call)) return
  const { function: plain, custom } = call
  const named = (body: unknown, goesOn: string): unknown => (isObject(body) ? { ...body, [goesOn]: '' } : body)
  yield one({
    tool_calls: [
      {
        index,
        ...call,
        ...(plain !== undefined && { function: named(plain, 'arguments') }),
        ...(custom !== undefined && { custom: named(custom, 'input') }),
      },
    ],
  })
  if (isObject(plain) && plain.arguments !== '')
    yield one({ tool_calls: [{ index, function: { arguments: plain.arguments } }] })
  if (isObject(custom) && custom.input !== '') yield one({ tool_calls: [{ index, custom: { input: custom.input } }] })
}
