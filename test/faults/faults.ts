import { DIALECTS } from '../contracts/vendor-wire.ts'
import type { Reply, Upstream } from '../support/upstream.ts'
import type { Seen, Vendor } from './surfaces.ts'

export const PRIMARY_TEXT = 'The primary says: a stream is a promise, and a promise is kept to its last word.'
export const OTHER_TEXT = 'The fallback says something else, and says all of it, from its first to its last word.'

type Call = Upstream['calls'][number]

/** What the primary does, and what counts as the wanted conduct. */
export interface Fault {
  readonly id: string
  readonly title: string
  /** What is wanted, in a few words. */
  readonly wanted: string
  /** The primary's reply to its nth call, counted from 0. */
  primary(n: number, call: Call, vendor: Vendor): Reply
  /** The fallback's, where it does not just answer. */
  fallback?(call: Call, vendor: Vendor): Reply | undefined
  /** With a healthy fallback: is it what is wanted, beside a whole answer? */
  pass(run: Run): boolean
  /** Without a fallback: must the client have a whole answer, or an error? */
  readonly alone: 'whole' | 'error'
  /** Requests that are sent one after the other; 1 unless told. */
  readonly requests?: number
}

/** What became of the requests of one cell. */
export interface Run {
  readonly stream: boolean
  /** Of the last request. */
  readonly seen: Seen
  readonly all: readonly Seen[]
  /** Virtual seconds of the longest request. */
  readonly secs: number
  readonly calls: { readonly primary: number; readonly fallback: number }
  readonly names: { readonly primary: Vendor; readonly fallback: Vendor }
}

const fine: Reply = { text: PRIMARY_TEXT }

interface Frames {
  readonly frames: readonly string[]
  /** How many come before the first words. */
  readonly head: number
  /** How many come behind the one that says why the answer ends. */
  readonly tail: number
}

/** The primary's answer, as its dialect writes it. */
function framesOf(call: Call, vendor: Vendor): Frames {
  const { path, ...around } = WIRES[vendor] ?? { path: '/chat/completions', head: 1, tail: 1 }
  const dialect = DIALECTS[path]
  const facts = { number: 1, model: 'stub-model', body: call.body ?? {} }
  return { frames: dialect?.stream({ text: PRIMARY_TEXT }, facts) ?? [], ...around }
}

const WIRES: Readonly<Partial<Record<Vendor, Omit<Frames, 'frames'> & { readonly path: string }>>> = {
  anthropic: { path: '/messages', head: 3, tail: 1 },
  'openai-responses': { path: '/responses', head: 4, tail: 0 },
}

const streams = (call: Call): boolean => call.body?.stream === true

const refusal = (vendor: Vendor, code: string, message: string): Reply => ({
  status: 400,
  json:
    vendor === 'anthropic'
      ? { type: 'error', error: { type: 'invalid_request_error', message } }
      : { error: { message, type: 'invalid_request_error', param: 'messages', code } },
})

const cut = (_: number, call: Call, vendor: Vendor): Reply =>
  streams(call)
    ? { text: PRIMARY_TEXT, dieAfter: framesOf(call, vendor).head + 4 }
    : { text: PRIMARY_TEXT, dieAfter: 1 }

const stayed = ({ seen, names }: Run): boolean => seen.provider === names.primary
const complete = ({ seen }: Run): boolean => seen.whole
const viaFallback = (run: Run): boolean => run.seen.whole && run.seen.provider === run.names.fallback

export const FAULTS: readonly Fault[] = [
  {
    id: 'S01',
    title: '429 with `Retry-After: 2`, then fine',
    wanted: 'waits, and stays with the primary',
    primary: n => (n === 0 ? { status: 429, headers: { 'retry-after': '2' } } : fine),
    pass: run => complete(run) && stayed(run) && run.secs >= 2 && run.secs < 5,
    alone: 'whole',
  },
  {
    id: 'S02',
    title: '429 for good',
    wanted: 'the fallback',
    primary: () => ({ status: 429 }),
    pass: viaFallback,
    alone: 'error',
  },
  {
    id: 'S03',
    title: 'one 500',
    wanted: 'the primary again',
    primary: n => (n === 0 ? { status: 500 } : fine),
    pass: run => complete(run) && stayed(run),
    alone: 'whole',
  },
  {
    id: 'S04',
    title: '503 for good',
    wanted: 'the fallback',
    primary: () => ({ status: 503 }),
    pass: viaFallback,
    alone: 'error',
  },
  {
    id: 'S05',
    title: 'the connection is reset once',
    wanted: 'the primary again',
    primary: n => (n === 0 ? { reset: true } : fine),
    pass: run => complete(run) && stayed(run),
    alone: 'whole',
  },
  {
    id: 'S06',
    title: 'accepts and never answers',
    wanted: 'the fallback well before 100 s',
    primary: () => ({ silent: true }),
    pass: run => viaFallback(run) && run.secs < 90,
    alone: 'error',
  },
  {
    id: 'S07',
    title: 'the first words come after 20 s',
    wanted: 'a streamed answer begins within 15 s',
    primary: (_, call, vendor) => {
      if (!streams(call)) return { text: PRIMARY_TEXT, delayMs: 20_000 }
      const { frames, head } = framesOf(call, vendor)
      return { sse: frames.map((data, at) => (at === head ? { data, delayMs: 20_000 } : data)) }
    },
    pass: run => complete(run) && (!run.stream || run.secs < 15),
    alone: 'whole',
  },
  {
    id: 'S08',
    title: 'the line is cut in the middle of the answer',
    wanted: 'a whole answer',
    primary: cut,
    pass: complete,
    alone: 'error',
  },
  {
    id: 'S09',
    title: 'the answer stalls in the middle',
    wanted: 'a whole answer',
    primary: (_, call, vendor) =>
      streams(call) ? { text: PRIMARY_TEXT, stallAfter: framesOf(call, vendor).head + 4 } : { stall: true },
    pass: run => complete(run) && run.secs < 100,
    alone: 'error',
  },
  {
    id: 'S10',
    title: 'one chunk is no JSON',
    wanted: 'a whole answer',
    primary: (_, call, vendor) => {
      if (!streams(call)) return { raw: '{"id":"x","choices":[{"mess' }
      const { frames, head } = framesOf(call, vendor)
      return { sse: frames.map((data, at) => (at === head + 4 ? 'data: {"choices":[{"del\n\n' : data)) }
    },
    pass: complete,
    alone: 'error',
  },
  {
    id: 'S11',
    title: 'the terminator is missing',
    wanted: 'a whole answer',
    primary: (_, call, vendor) => {
      const { frames, tail } = framesOf(call, vendor)
      return streams(call) ? { text: PRIMARY_TEXT, endAfter: frames.length - tail } : fine
    },
    pass: run => complete(run) && stayed(run),
    alone: 'whole',
  },
  {
    id: 'S12',
    title: 'the prompt is too long',
    wanted: 'a model with a larger window',
    primary: (_, __, vendor) => refusal(vendor, 'context_length_exceeded', 'prompt is too long: 9 tokens > 8 maximum'),
    pass: viaFallback,
    alone: 'error',
  },
  {
    id: 'S13',
    title: 'a content filter refuses',
    wanted: 'nobody else is asked',
    primary: (_, __, vendor) => refusal(vendor, 'content_filter', 'the content filter refuses'),
    pass: ({ seen, calls }) => seen.status === 400 && calls.primary === 1 && calls.fallback === 0,
    alone: 'error',
  },
  {
    id: 'S14',
    title: 'as S08, and the fallback refuses prefill',
    wanted: 'a whole answer',
    primary: cut,
    fallback: ({ body }, vendor) => {
      const messages: unknown = body?.messages
      const last: unknown = Array.isArray(messages) ? messages.at(-1)?.role : undefined
      return last === 'assistant' ? refusal(vendor, 'prefill', 'prefill is not supported') : undefined
    },
    pass: complete,
    alone: 'error',
  },
  {
    id: 'S15',
    title: 'the primary is down for 15 requests of 20',
    wanted: 'all answered, few calls of the primary while it is down, back when it is back',
    requests: 20,
    primary: () => fine,
    pass: run => run.all.every(({ whole }) => whole) && stayed(run) && run.calls.primary <= 25,
    alone: 'error',
  },
  {
    id: 'S16',
    title: '503 for good, counted',
    wanted: 'the answer bears the name of who gave it, and each attempt is one call',
    primary: () => ({ status: 503 }),
    pass: run => viaFallback(run) && run.calls.primary === 3 && run.calls.fallback === 1,
    alone: 'error',
  },
]
