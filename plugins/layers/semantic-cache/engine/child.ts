/**
 * The semantic engine: a process of its own, because the native runtime of a judge blocks its thread and a second thread
 * cannot load it. It makes the portable models anew, keeps the vectors, and answers lookups. With the built-in models and
 * no entries it takes about 185 MB. What an entry takes is counted in `entries.ts`.
 */
import { Socket } from 'node:net'
import { constants, setPriority } from 'node:os'
import type { Portable } from 'deflector'
import type { FromEngine, Parts, ToEngine } from './messages.ts'
import { PipeWriter, pipeReader } from './pipe.ts'
import { type Models, reasonOf, Work } from './work.ts'

/** The pipe to the gateway. */
const PIPE = 3

const socket = new Socket({ fd: PIPE })
const writer = new PipeWriter<FromEngine>(socket)
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
socket.on('data', pipeReader<ToEngine>(receive))

function receive(message: ToEngine): void {
  switch (message.is) {
    case 'open':
      void open(message.parts)
      break
    case 'lookup':
      work?.lookup(message)
      break
    case 'add':
      work?.add(message)
      break
    case 'remove':
      work?.remove(message.handle)
      break
    case 'clear':
      work?.clear()
      break
    case 'forget':
      work?.forget(message.id)
  }
}

async function open({ embedder, judge }: Parts): Promise<void> {
  try {
    const models: Models = {
      embedder: await opened<NonNullable<Models['embedder']>>(embedder, 'embed'),
      judge: await opened<NonNullable<Models['judge']>>(judge, 'judge'),
    }
    const made = new Work(models, message =>
      message.is === 'added' || message.is === 'expired' ? writer.sendLater(message) : writer.send(message),
    )
    await made.warmUp()
    work = made
    writer.send({ is: 'ready' })
  } catch (error) {
    writer.send({ is: 'unready', reason: reasonOf(error) })
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
