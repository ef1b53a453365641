import type { Answer } from 'deflector'

type Whole = Extract<Answer, { kind: 'whole' }>

/** A whole answer above this many bytes is not read again for what it says of itself. */
const LARGEST_ANSWER = 512 << 10

/** Characters of the text of an answer, as far as it can be read; the bytes of a very large one. */
export function textLength(answer: Whole): number {
  const size = sizeOf(answer)
  if (size > LARGEST_ANSWER) return size
  let length = 0
  for (const block of readable(answer)?.blocks ?? [])
    length += block.type === 'tool_call' ? block.args.length : 'text' in block ? block.text.length : 0
  return length
}

/** Bytes that nothing can read went to a client of the same dialect all the same. */
export function readable(answer: Whole): Whole['completion'] | undefined {
  if (sizeOf(answer) > LARGEST_ANSWER) return undefined
  try {
    return answer.completion
  } catch {
    return undefined
  }
}

const sizeOf = ({ wire, stream }: Whole): number => wire?.bytes.length ?? stream?.text.length ?? 0
