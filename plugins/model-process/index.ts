/** Models in a process or thread of their own, those of the transformers library among them: the module `deflector/model-process`. */
export { type Library, load, reason } from './library.ts'
export { cacheFolder, LoadFailure, startError } from './load-failure.ts'
export type { Loading, LoadMessage, Place } from './messages.ts'
export { ModelProcess } from './model-process.ts'
export { placeOf } from './place.ts'
export { TextQueue } from './text-queue.ts'
