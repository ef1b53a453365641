/**
 * The semantic engine: a process of its own, because the native runtime of a judge blocks its thread and a second thread
 * cannot load it. It makes the portable models anew, keeps the vectors, and answers lookups. With the built-in models and
 * no entries it takes about 185 MB. What an entry takes is counted in `entries.ts`.
 */
import { Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import type { Portable } from 'deflector'
import { type FrameFields, FrameWriter, frameReader } from './frames.ts'
import { FROM_ENGINE, type Parts, readAdd, readLookup, TO_ENGINE, writeAnswer } from './messages.ts'
import { type Models, Work } from './work.ts'

/** The pipe to the gateway. */
const PIPE = 3

const socket = new Socket({ fd: PIPE })
const writer = new FrameWriter(socket)
let work: Work | undefined

// Where both want the processor, the gateway gets it: a late lookup is a miss, a late gateway is an outage.
try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Not allowed here; the gateway sheds lookups that are late.
}
// The engine ends with its gateway, which drains first; a terminal signals both.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
socket.on('close', () => process.exit(0))
socket.on('error', () => process.exit(0))
socket.on('data', frameReader(receive))

function receive(kind: number, fields: FrameFields): void {
  switch (kind) {
    case TO_ENGINE.open:
      void open(JSON.parse(fields.text()) as Parts) // written by the gateway that spawned this process
      break
    case TO_ENGINE.lookup:
      work?.lookup(readLookup(fields))
      break
    case TO_ENGINE.add:
      work?.add(readAdd(fields))
      break
    case TO_ENGINE.remove:
      work?.remove(fields.u32())
      break
    case TO_ENGINE.clear:
      work?.clear()
      break
    case TO_ENGINE.forget:
      work?.forget(fields.u32())
  }
}

async function open({ embedder, judge }: Parts): Promise<void> {
  try {
    const models: Models = {
      embedder: await opened<NonNullable<Models['embedder']>>(embedder, 'embed'),
      judge: await opened<NonNullable<Models['judge']>>(judge, 'judge'),
    }
    const made = new Work(models, {
      answer: message => writeAnswer(writer, message),
      failed: (id, micros, error) => writer.begin(FROM_ENGINE.failed).u32(id).u32(micros).text(reasonOf(error)).end(),
      added: count => writer.begin(FROM_ENGINE.added).u32(count).end(),
      expired: handle => writer.begin(FROM_ENGINE.expired).u32(handle).end(),
    })
    await made.warmUp()
    work = made
    writer.begin(FROM_ENGINE.ready).end()
  } catch (error) {
    writer.begin(FROM_ENGINE.unready).text(reasonOf(error)).end()
  }
}

async function opened<T>(part: Portable | undefined, method: string): Promise<T | undefined> {
  if (!part) return undefined
  const module: unknown = await import(part.module)
  if (typeof module !== 'object' || module === null || !('open' in module) || typeof module.open !== 'function')
    throw new Error(`${part.module} has no function "open"`)
  const model: unknown = await module.open(part.options)
  if (typeof model !== 'object' || model === null || !(method in model))
    throw new Error(`what ${part.module} opens has no "${method}"`)
  return model as T // its plugin promises the rest
}

/** Characters of a reason at most: a frame has its limits, and so has a log line. */
const LONGEST_REASON = 1000

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, LONGEST_REASON)
}
