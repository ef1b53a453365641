/** What a client makes of a stream that keeps all it is sent. Written apart from the gateway, so that it can contradict it. */

// biome-ignore lint/suspicious/noExplicitAny: whatever JSON a vendor sends
type Json = any

const dataOf = (text: string): Json[] =>
  text
    .split('\n\n')
    .flatMap(event => event.split('\n').filter(line => line.startsWith('data: ')))
    .map(line => line.slice(6))
    .filter(data => data !== '[DONE]')
    .map(data => JSON.parse(data))

/** Members that a stream says again rather than goes on with. */
const AGAIN = new Set(['role', 'type', 'id', 'name', 'format', 'signature', 'index', 'object', 'finish_reason'])

function accumulate(whole: Json, piece: Json): void {
  for (const [name, value] of Object.entries<Json>(piece)) {
    const before = whole[name]
    if (value === null || value === undefined) whole[name] ??= null
    else if (name === 'content' && typeof value === 'string' && Array.isArray(before))
      accumulate(whole, { content: [{ type: 'text', text: value }] })
    else if (typeof value === 'string' && typeof before === 'string')
      whole[name] = AGAIN.has(name) ? value : before + value
    else if (Array.isArray(value)) {
      const list: Json[] = Array.isArray(before) ? before : []
      for (const item of value) {
        const known = item?.index === undefined ? undefined : list.find(one => one.index === item.index)
        const last = list.at(-1)
        const joins = typeof item?.text === 'string' && last?.type === item.type && item.index === undefined
        if (known) accumulate(known, item)
        else if (joins || (item?.type === 'thinking' && last?.type === 'thinking')) accumulate(last, item)
        else list.push(structuredClone(item))
      }
      whole[name] = list
    } else if (typeof value === 'object') {
      whole[name] = before ?? {}
      accumulate(whole[name], value)
    } else whole[name] = value
  }
}

const says = (value: Json): boolean => value !== null && JSON.stringify(value) !== '{}'

/** Without ids, times and padding, which every delivery has of its own, and without nulls, which say nothing. */
export function joinedChat(text: string): Json {
  const whole: Json = {}
  const choices = new Map<number, Json>()
  for (const { choices: said, id: _, created: __, object: ___, obfuscation: ____, ...members } of dataOf(text)) {
    for (const [name, value] of Object.entries(members)) if (says(value)) whole[name] = value
    for (const { index, delta, ...more } of said) {
      const choice = choices.get(index) ?? { index, delta: {}, logprobs: {} }
      choices.set(index, choice)
      accumulate(choice.delta, delta)
      for (const [name, value] of Object.entries<Json>(more)) {
        if (name === 'logprobs' && value) accumulate(choice.logprobs, value)
        else if (says(value)) choice[name] = value
      }
    }
  }
  return withoutNulls({ ...whole, choices: [...choices.values()] })
}

/** What came at the start, in each block, and at the end; without the id. */
export function joinedMessages(text: string): Json {
  const events: Json[] = []
  const blocks = new Map<number, Json>()
  const ends: Json = {}
  let start: Json
  for (const event of dataOf(text)) {
    if (event.type === 'message_start') {
      const { id: _, ...message } = event.message
      start = message
    } else if (event.type === 'content_block_start') blocks.set(event.index, { start: event.content_block, deltas: {} })
    else if (event.type === 'content_block_delta') {
      const { type, ...delta } = event.delta
      const { deltas } = blocks.get(event.index)
      if (type === 'citations_delta') deltas.citations = [...(deltas.citations ?? []), delta.citation]
      else accumulate(deltas, delta)
    } else if (event.type === 'message_delta') accumulate(ends, event)
    else if (!['ping', 'content_block_stop', 'message_stop'].includes(event.type)) events.push(event)
  }
  return { start, blocks: [...blocks.values()], ends, events }
}

/** Ids that are fresh with each delivery, and none else. */
const RENEWED = /^(?:resp|msg|fc|ctc)_/

/** The response at the end, what each item was announced as, and its texts; fails where events are out of order. */
export function joinedResponses(text: string): Json {
  const items: Json[] = []
  let begun: Json
  let response: Json
  for (const [at, { sequence_number, type, output_index: index, ...event }] of dataOf(text).entries()) {
    if (sequence_number !== at) throw new Error(`event ${at} has the number ${sequence_number}`)
    if (type === 'response.created') begun = event.response
    else if (type === 'response.output_item.added') items[index] = { added: event.item, texts: {}, told: [] }
    else if (type === 'response.output_item.done') items[index].done = event.item
    else if (event.item_id !== undefined && event.item_id !== items[index].added.id)
      throw new Error(`event ${at} is of ${event.item_id}`)
    else if (/\.delta$/.test(type)) {
      const part = `${type} ${event.content_index} ${event.summary_index}`
      items[index].texts[part] = (items[index].texts[part] ?? '') + event.delta
      const spelled = event.logprobs?.map((each: Json) => each.token).join('')
      if (spelled && spelled !== event.delta) throw new Error(`${spelled} is not ${event.delta}`)
    } else if (event.response?.output && type !== 'response.in_progress') response = event.response
    else if (items[index] && !/_call\.\w+$/.test(type)) items[index].told.push({ type, ...event })
  }
  const ids = new Map<string, string>()
  return JSON.parse(JSON.stringify({ begun, items, response }), (name, value) => {
    if (name === 'created_at') return 0
    if (!['id', 'item_id'].includes(name) || !RENEWED.test(value)) return value
    ids.set(value, ids.get(value) ?? `${value.split('_')[0]} ${ids.size}`)
    return ids.get(value)
  })
}

function withoutNulls(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([, one]) => one !== null && one !== undefined)
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutNulls(one)]))
}
