import { type Frame, isObject, type Prompt } from 'deflector'
import { dataIn } from '../sse.ts'
import { asksUsage } from './stream-encoder.ts'

/**
 * A vendor's frame as this client gets it. The gateway always asks for usage; the chunk that holds nothing else is
 * dropped for a client that did not, because some clients read the first choice of every chunk without looking.
 */
export function passFrame({ events, wire }: Frame, prompt: Prompt): string {
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
