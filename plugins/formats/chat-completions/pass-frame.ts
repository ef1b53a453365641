import { type Frame, isObject, type Prompt, refiller } from 'deflector'
import { mayRepeat, REPEATED, repeatAsJson } from '../repeated.ts'
import { dataIn, withData } from '../sse.ts'
import { asksUsage } from './stream-encoder.ts'

/**
 * A vendor's frame as this client gets it. The gateway always asks for usage; the chunk that holds nothing else is
 * dropped for a client that did not, because some clients read the first choice of every chunk without looking.
 */
export function passFrame({ events, wire: given }: Frame, prompt: Prompt, joined = false): string {
  const wire = joined && mayRepeat(given) ? withOwn(given, prompt) : given
  if (asksUsage(prompt) || !events.some(({ type }) => type === 'usage')) return wire
  // Usage beside a text comes with a choice.
  const isAlone = events.every(({ type }) => type === 'usage')
  return (isAlone && NO_CHOICES.test(wire)) || !dataIn(wire).some(hasChoices) ? '' : wire
}

const NO_CHOICES = /"choices":\s*\[\s*\]/

function hasChoices(data: string): boolean {
  const chunk: unknown = JSON.parse(data)
  return isObject(chunk) && Array.isArray(chunk.choices) && chunk.choices.length > 0
}

const refill = refiller(...REPEATED)

/** With what the chunks repeat of a request as this client said it. */
function withOwn(wire: string, { body }: Prompt): string {
  return withData(wire, data =>
    data.startsWith('{')
      ? Buffer.from(refill(Buffer.from(data), key => repeatAsJson(key, body))).toString('utf8')
      : data,
  )
}
