import { Assembler } from './assemble.ts'
import type { Completion } from './chat.ts'
import { GatewayError, toGatewayError } from './errors.ts'
import type { Answer, Frame, LiveAnswer, Prompt, WholeAnswer, Wire } from './exchange.ts'
import type { Format } from './format.ts'

/** Bytes of frames that are kept for those who join late. Beyond it the answer goes on, but nobody can join. */
const JOIN_LIMIT = 1 << 20
/** Bytes beyond which an answer is passed on but no longer assembled, so never stored. */
const ASSEMBLY_LIMIT = 32 << 20

/** A prompt whose canonical form is decoded when somebody asks for it. */
export function promptOf(format: Format, bytes: Uint8Array, parsed: unknown): Prompt {
  const { body, model, stream, session } = format.readHead(parsed)
  let chat: Prompt['chat'] | undefined
  return {
    format,
    bytes,
    body,
    model,
    stream,
    session,
    get chat() {
      chat ??= format.decodePrompt(body)
      return chat
    },
  }
}

export interface WholeFacts {
  readonly completion: Completion | (() => Completion)
  readonly wire?: Wire
  readonly headers?: Readonly<Record<string, string>>
}

export function wholeAnswer({ completion, wire, headers }: WholeFacts): WholeAnswer {
  let decoded = typeof completion === 'function' ? undefined : completion
  return {
    kind: 'whole',
    ...(wire && { wire }),
    ...(headers && { headers }),
    get completion() {
      if (!decoded) decoded = (completion as () => Completion)()
      return decoded
    },
  }
}

/** A whole answer of plain text: all that a minimal provider needs. */
export function textAnswer(
  text: string,
  facts: { readonly model: string; readonly id?: string; readonly created?: number },
): WholeAnswer {
  return wholeAnswer({
    completion: {
      id: facts.id ?? '',
      model: facts.model,
      created: facts.created ?? 0,
      blocks: [{ type: 'text', text }],
      stop: { reason: 'stop' },
    },
  })
}

/** What becomes known of an answer only after its provider gave it. */
export interface LaterFacts {
  /** Instance name of the provider. */
  readonly provider?: string
  /** It belongs to another exchange. Its frames are begun at once, because a large answer lets go of the first ones. */
  readonly joined?: true
  /** Aborts when everybody left. A live answer is written at its readers' pace, so without them `whole` has to be ended. */
  readonly signal?: AbortSignal
}

/** The same answer with more facts. A copy by spreading would decode what is decoded on first use, and freeze `joinable`. */
export function withFacts<A extends Answer>(answer: A, facts: LaterFacts): A
export function withFacts(answer: Answer, { provider = answer.provider, joined, signal }: LaterFacts): Answer {
  const { headers, staleSecs } = answer
  const known = {
    ...(provider !== undefined && { provider }),
    ...(headers && { headers }),
    ...(staleSecs !== undefined && { staleSecs }),
    ...((joined ?? answer.joined) && { joined: true }),
  }
  if (answer.kind === 'whole') {
    return {
      kind: 'whole',
      ...known,
      ...(answer.wire && { wire: answer.wire }),
      get completion() {
        return answer.completion
      },
    }
  }
  let begun = joined && answer.frames()
  return {
    kind: 'live',
    ...known,
    format: answer.format,
    whole: signal ? untilAborted(answer.whole, signal) : answer.whole,
    get joinable() {
      return answer.joinable
    },
    frames() {
      const frames = begun ?? answer.frames()
      begun = undefined
      return frames
    },
  }
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, resolve, reject } = deferred<T>()
  promise.catch(() => {}) // nobody may be waiting
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  return promise
}

export interface LiveFacts {
  /** Format of the frames' `wire`. */
  readonly format: string
  /** Must end normally only after the terminal event; what it throws ends the answer for everybody. */
  readonly source: AsyncIterable<Frame>
  readonly headers?: Readonly<Record<string, string>>
}

interface Link {
  readonly frame: Frame | undefined
  next?: Link
}

/**
 * A live answer that any number of clients can read from the first frame on, while it is assembled beside them.
 * Frames form a linked list: each reader holds its own place, so what all have read is free to go.
 */
export function liveAnswer({ format, source, headers }: LiveFacts): LiveAnswer {
  const upstream = source[Symbol.asyncIterator]()
  const assembler = new Assembler()
  const whole = deferred<WholeAnswer>()
  whole.promise.catch(() => {}) // nobody may be waiting
  let head: Link | undefined = { frame: undefined }
  let tail = head
  let bytes = 0
  let ended = false
  let failure: GatewayError | undefined
  let pulling: Promise<void> | undefined

  const end = (error?: unknown): void => {
    ended = true
    if (error === undefined && !assembler.ended)
      error = new GatewayError('upstream_failed', 'the provider ended the stream before its terminal event')
    if (error !== undefined) {
      failure = toGatewayError(error)
      whole.reject(failure)
    } else if (bytes > ASSEMBLY_LIMIT || assembler.unmodelled) {
      whole.reject(new GatewayError('unanswered', 'the answer was passed on and cannot be kept'))
    } else {
      whole.resolve(wholeAnswer({ completion: assembler.completion() }))
    }
  }
  const advance = async (): Promise<void> => {
    try {
      const { value, done } = await upstream.next()
      if (done) return end()
      bytes += value.wire.length
      if (bytes <= ASSEMBLY_LIMIT || value.events.some(event => event.type === 'end'))
        for (const event of value.events) assembler.add(event)
      if (bytes > JOIN_LIMIT) head = undefined
      tail = tail.next = { frame: value }
    } catch (error) {
      end(error)
    }
  }
  const pull = (): Promise<void> => {
    pulling ??= advance().finally(() => {
      pulling = undefined
    })
    return pulling
  }
  async function* frames(at: Link): AsyncGenerator<Frame> {
    for (;;) {
      if (at.next) {
        at = at.next
        if (at.frame) yield at.frame
      } else if (!ended) await pull()
      else if (failure) throw failure
      else return
    }
  }
  return {
    kind: 'live',
    format,
    ...(headers && { headers }),
    whole: whole.promise,
    get joinable() {
      return head !== undefined
    },
    frames() {
      if (!head) throw new GatewayError('internal', 'this answer is too large to be joined')
      return frames(head)
    },
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

function deferred<T>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {}
  let reject: Deferred<T>['reject'] = () => {}
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
