import { parentPort, workerData } from 'node:worker_threads'
import { z } from 'zod'
import { StaticModel } from './static-model.ts'

/** What the thread is asked: one batch at a time. */
export type ToThread = readonly string[]
/** What it says: a vector for each text. */
export type FromThread = readonly Float32Array[]

const { folder } = z.object({ folder: z.string() }).parse(workerData)
const model = StaticModel.open(folder)

parentPort?.on('message', (texts: ToThread) => {
  parentPort?.postMessage(texts.map(text => model.embed(text)) satisfies FromThread)
})
