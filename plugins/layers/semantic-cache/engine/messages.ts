import type { Portable } from 'deflector'
import type { FrameFields, FrameWriter } from './frames.ts'

/** What the gateway and its semantic engine say to each other. Each message is one frame; `frames.ts` has the bytes. */

/** From the gateway. */
export const TO_ENGINE = { open: 1, lookup: 2, add: 3, remove: 4, clear: 5, forget: 6 } as const
/** From the engine. */
export const FROM_ENGINE = { ready: 1, unready: 2, answer: 3, failed: 4, added: 5, expired: 6 } as const

/** The models that the engine makes for itself. Without an embedder, vectors come along; without a judge, nothing is judged. */
export interface Parts {
  readonly embedder?: Portable | undefined
  readonly judge?: Portable | undefined
}

/** How much of the candidates a lookup wants judged: none, up to the first hit, or all. */
type Judging = 'none' | 'first' | 'all'
const JUDGING: readonly Judging[] = ['none', 'first', 'all']

export interface LookupMessage {
  readonly id: number
  /** Number of the partition; 0 where only `against` is compared. */
  readonly partition: number
  readonly judging: Judging
  /** Most candidates. */
  readonly most: number
  /** Least cosine of a candidate. */
  readonly least: number
  /** Least probability of a hit. */
  readonly bar: number
  /** The gateway's time, milliseconds since 1970: what was fresh until then is no candidate. */
  readonly now: number
  /** Entries that are no candidates. */
  readonly excluded: readonly number[]
  readonly text: string
  readonly vector?: Float32Array | undefined
  /** Compares with this text alone, which is then the only one considered, with the handle 0; no entry is looked at. */
  readonly against?: { readonly text: string; readonly vector?: Float32Array | undefined } | undefined
}

export interface AddMessage {
  /** Names the entry until it is removed. */
  readonly handle: number
  readonly partition: number
  readonly freshUntil: number
  readonly text: string
  readonly vector?: Float32Array | undefined
}

/** An entry that is near, and what the judge makes of it. */
export interface Considered {
  readonly handle: number
  /** Cosine. */
  readonly similarity: number
  /** 1 where no judge was asked. */
  readonly probability: number
  /** Id of the rule that refused; empty where none did. */
  readonly reason: string
}

export interface AnswerMessage {
  readonly id: number
  /** Microseconds that the engine worked on it. */
  readonly micros: number
  /** Best first. Of a lookup up to the first hit, a hit is the last. */
  readonly considered: readonly Considered[]
}

export function writeLookup(writer: FrameWriter, lookup: LookupMessage): void {
  const { id, partition, judging, most, least, bar, now, excluded, text, vector, against } = lookup
  writer.begin(TO_ENGINE.lookup).u32(id).u32(partition).u8(JUDGING.indexOf(judging)).u8(most)
  writer.f64(least).f64(bar).f64(now).u32(excluded.length)
  for (const handle of excluded) writer.u32(handle)
  writer
    .text(text)
    .vector(vector)
    .u8(against ? 1 : 0)
  if (against) writer.text(against.text).vector(against.vector)
  writer.end()
}

export function readLookup(fields: FrameFields): LookupMessage {
  const [id, partition] = [fields.u32(), fields.u32()]
  const judging = JUDGING[fields.u8()] ?? 'none'
  const most = fields.u8()
  const [least, bar, now] = [fields.f64(), fields.f64(), fields.f64()]
  const excluded = Array.from({ length: fields.u32() }, () => fields.u32())
  const wanted = {
    id,
    partition,
    judging,
    most,
    least,
    bar,
    now,
    excluded,
    text: fields.text(),
    vector: fields.vector(),
  }
  return fields.u8() === 1 ? { ...wanted, against: { text: fields.text(), vector: fields.vector() } } : wanted
}

export function writeAdd(writer: FrameWriter, { handle, partition, freshUntil, text, vector }: AddMessage): void {
  writer.begin(TO_ENGINE.add).u32(handle).u32(partition).f64(freshUntil).text(text).vector(vector).end()
}

export function readAdd(fields: FrameFields): AddMessage {
  const [handle, partition, freshUntil] = [fields.u32(), fields.u32(), fields.f64()]
  return { handle, partition, freshUntil, text: fields.text(), vector: fields.vector() }
}

export function writeAnswer(writer: FrameWriter, { id, micros, considered }: AnswerMessage): void {
  writer.begin(FROM_ENGINE.answer).u32(id).u32(micros).u8(considered.length)
  for (const { handle, similarity, probability, reason } of considered)
    writer.u32(handle).f64(similarity).f64(probability).text(reason)
  writer.end()
}

export function readAnswer(fields: FrameFields): AnswerMessage {
  const [id, micros] = [fields.u32(), fields.u32()]
  const considered = Array.from({ length: fields.u8() }, () => {
    const [handle, similarity, probability] = [fields.u32(), fields.f64(), fields.f64()]
    return { handle, similarity, probability, reason: fields.text() }
  })
  return { id, micros, considered }
}
