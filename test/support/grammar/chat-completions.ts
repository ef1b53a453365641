import * as assert from 'uvu/assert'

type Members = Readonly<Record<string, unknown>>

/** One chunk of a chat-completions stream. */
export interface Chunk {
  readonly id?: string
  readonly object?: string
  readonly created?: number
  readonly model?: string
  readonly choices?: readonly Choice[]
  readonly usage?: Members | null
  readonly error?: Members
}

interface Choice {
  readonly index: number
  readonly delta: Members & {
    readonly tool_calls?: readonly CallPiece[]
    /** The old form: one call, without an id. */
    readonly function_call?: { readonly name?: string; readonly arguments?: string }
  }
  readonly finish_reason: string | null
}

interface CallPiece {
  readonly index: number
  readonly id?: string
  readonly type?: 'function' | 'custom'
  readonly function?: { readonly name?: string; readonly arguments?: string }
  readonly custom?: { readonly name?: string; readonly input?: string }
}

const FINISHES = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call']

/**
 * Reads a stream that we wrote and fails unless it keeps every rule of the grammar: one id, the role first and once, dense
 * calls that begin with id and name, one finish reason and nothing after it but the usage, and `[DONE]`. A stream that
 * broke ends with an error and without `[DONE]`. Returns its chunks.
 */
export function checkChatGrammar(text: string): Chunk[] {
  assert.ok(text.endsWith('\n\n'), 'the last event is closed')
  const frames = text
    .split('\n\n')
    .slice(0, -1)
    .filter(frame => !frame.startsWith(':'))
  for (const frame of frames) assert.match(frame, /^data: [^\n]*$/, 'one line of data an event')
  const data = frames.map(frame => frame.slice('data: '.length))
  const isWhole = data.at(-1) === '[DONE]'
  const chunks = (isWhole ? data.slice(0, -1) : data).map((json): Chunk => JSON.parse(json))
  const error = isWhole ? undefined : chunks.at(-1)?.error
  assert.ok(isWhole || error, 'the stream ends with [DONE] or an error')
  if (error) {
    assert.equal(Object.keys(error).slice(0, 4), ['message', 'type', 'param', 'code'])
    assert.type(error.message, 'string')
  }
  const told = error ? chunks.slice(0, -1) : chunks
  for (const chunk of told) checkHead(chunk, told[0])
  const choice = new FirstChoice()
  for (const chunk of told) choice.take(chunk)
  if (isWhole) choice.end()
  return chunks
}

function checkHead({ id, object, created, model, choices, error }: Chunk, first: Chunk | undefined): void {
  assert.is(error, undefined, 'an error is the last event')
  assert.is(object, 'chat.completion.chunk')
  assert.match(String(id), /^chatcmpl-/)
  assert.equal([id, created], [first?.id, first?.created], 'one id and one time for the whole stream')
  assert.ok(Number.isInteger(created))
  assert.type(model, 'string')
  assert.ok(Array.isArray(choices), 'clients look into the choices without asking')
}

/** What the first choice of a stream says. */
class FirstChoice {
  readonly #calls: ('function' | 'custom')[] = []
  #hasOldCall = false
  #begun = false
  #finish: string | undefined
  #counted = false

  take({ choices = [], usage }: Chunk): void {
    assert.not(this.#counted, 'nothing follows the usage')
    if (usage) {
      assert.equal(choices, [], 'the usage comes alone')
      assert.ok(this.#finish !== undefined, 'and after the finish reason')
      for (const field of ['prompt_tokens', 'completion_tokens', 'total_tokens'])
        assert.ok(Number.isInteger(usage[field]), `usage has ${field}`)
      this.#counted = true
      return
    }
    assert.ok(choices.length > 0, 'a chunk without a choice has the usage')
    for (const { index, delta, finish_reason: finish } of choices) {
      if (index > 0) continue // only its own vendor has further choices, and they pass as they are
      assert.is(this.#finish, undefined, 'nothing follows the finish reason')
      if (!this.#begun) assert.is(delta.role, 'assistant', 'the role comes first')
      else assert.not('role' in delta, 'and once')
      const begins = !this.#begun
      this.#begun = true
      for (const piece of delta.tool_calls ?? []) this.#call(piece)
      if (delta.function_call) this.#oldCall(delta.function_call)
      if (delta.tool_calls ?? delta.function_call) assert.is.not(delta.content, '', 'no empty text beside a call')
      if (!begins) assert.is.not(delta.content, '', 'no piece of text is empty')
      if (finish === null || finish === undefined) continue
      assert.ok(FINISHES.includes(finish), `${finish} is a finish reason`)
      this.#finish = finish
    }
  }

  end(): void {
    assert.ok(this.#finish !== undefined, 'there is a finish reason')
    if (this.#finish === 'stop') assert.is(this.#calls.length, 0, 'calls end as calls')
    if (this.#finish === 'tool_calls') assert.ok(this.#calls.length > 0)
    assert.is(this.#finish === 'function_call', this.#hasOldCall, 'a call in the old form ends as one')
    assert.not(this.#hasOldCall && this.#calls.length > 0, 'calls have one form')
  }

  #oldCall({ name, arguments: args }: NonNullable<Choice['delta']['function_call']>): void {
    assert.type(args, 'string')
    assert.is(typeof name, this.#hasOldCall ? 'undefined' : 'string', 'the name comes first, and once')
    this.#hasOldCall = true
  }

  #call({ index, id, type, ...piece }: CallPiece): void {
    const known = this.#calls[index]
    const kind = known ?? type ?? 'function'
    const body = piece[kind]
    assert.ok(body, `a piece of a ${kind}`)
    assert.type(kind === 'custom' ? piece.custom?.input : piece.function?.arguments, 'string')
    if (known) {
      assert.equal([id, type, body.name], [undefined, undefined, undefined], 'id, type and name come once')
      return
    }
    assert.is(index, this.#calls.length, 'calls are dense')
    assert.ok(id, 'a call begins with its id')
    assert.ok(type && body.name, 'and with its type and name')
    this.#calls.push(kind)
  }
}
