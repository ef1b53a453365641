import { type AnswerEvent, type Frame, type LiveAnswer, liveAnswer } from 'deflector'
import { gaveUp, wordIn } from './gave-up.ts'
import { ANSWER_LIMIT, type ReplyStream } from './reply.ts'
import { batches, type StreamFacts } from './stream.ts'
import { wrongAnswer } from './wrong-answer.ts'

/** Events that say nothing: a vendor may send them at once and then think for long, or break off. */
const BARE: ReadonlySet<AnswerEvent['type']> = new Set(['start', 'usage', 'unmodelled', 'stop', 'end'])

const isContent = ({ type }: AnswerEvent): boolean => !BARE.has(type)

/** What a frame takes beside its text: a vendor may send pings without end. */
const FRAME_BYTES = 256

const sizeOf = (frames: readonly Frame[]): number =>
  frames.reduce((size, { wire }) => size + wire.length + FRAME_BYTES, 0)

/** A live answer, once its first content is there: whatever fails before is a failure of the attempt. */
export async function streamed(
  reply: ReplyStream,
  facts: StreamFacts,
  headers: Readonly<Record<string, string>>,
): Promise<LiveAnswer> {
  const source = batches(reply, facts)
  const begun: Frame[] = []
  let size = 0
  let hasContent = false
  while (!hasContent) {
    const { value, done } = await source.next()
    if (done) break
    begun.push(...value)
    size += sizeOf(value)
    hasContent = value.some(({ events }) => events.some(isContent))
    if (!hasContent && size > ANSWER_LIMIT) {
      await source.return(undefined)
      throw wrongAnswer(facts.name, 'sent 64 MiB without any content')
    }
  }
  const answer = liveAnswer({ format: facts.format.name, begun, source, headers, record: facts.record })
  const word = hasContent ? undefined : wordIn(begun.flatMap(({ events }) => events))
  if (word !== undefined) throw gaveUp(facts.name, word, { answer, usage: answer.progress.usage })
  return answer
}
