import {
  type Answer,
  type Exchange,
  type Frame,
  isObject,
  parseLargeJson,
  seenBy,
  type VendorState,
  withFacts,
} from 'deflector'
import { dataIn } from 'deflector/formats/sse'
import type { HeldStates } from './held-states.ts'

/** Bytes above which an answer is worth the turns of the event loop. */
const LARGE = 128 << 10
/** Only what happens around an answer's content can name state. */
const CONTENT: ReadonlySet<string> = new Set(['text', 'reasoning', 'refusal', 'tool_call', 'tool_args'])

/**
 * The answer of a request that is about state. What it made is remembered before its client can read of it, and what the
 * request deleted is forgotten.
 */
export async function withState(
  exchange: Exchange,
  answer: Answer,
  state: VendorState,
  states: HeldStates,
): Promise<Answer> {
  const { dialect } = exchange.prompt
  const { provider } = answer.facts
  if (state.ends) await states.forget(state.refers)
  // What another dialect made is held under an id that this client never reads.
  if (!state.creates || provider === undefined || !dialect.stateIn || formatOf(answer, dialect.name) !== dialect.name)
    return answer
  const remember = async (...bodies: readonly unknown[]): Promise<void> => {
    const ids = bodies.flatMap(body => (isObject(body) ? (dialect.stateIn?.(body) ?? []) : []))
    if (ids.length > 0) await states.remember(exchange, provider, ids)
  }
  const held = state.essential === true ? {} : { held: true }
  switch (answer.kind) {
    case 'live':
      return seenBy(answer, held, frame => (isContent(frame) ? undefined : remember(...dataIn(frame.wire).map(jsonIn))))
    case 'whole':
      if (answer.wire) await remember(await parsed(answer.wire.bytes))
      return withFacts(answer, held)
    case 'bytes':
      await remember(await parsed(answer.bytes))
      return answer
  }
}

/** Other operations than chat are served in their client's dialect only. */
const formatOf = (answer: Answer, own: string): string | undefined =>
  answer.kind === 'bytes' ? own : answer.kind === 'live' ? answer.format : answer.wire?.format

const isContent = ({ events }: Frame): boolean => events.length > 0 && events.every(({ type }) => CONTENT.has(type))

function parsed(bytes: Uint8Array): unknown {
  return bytes.length > LARGE
    ? parseLargeJson(bytes, { repeats: 'last' }).catch(() => undefined)
    : jsonIn(Buffer.from(bytes).toString('utf8'))
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
