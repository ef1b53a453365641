/** Files of the package, and files that several processes may write: the module `deflector/files`. */
export { FileLock, type LockClock } from './file-lock.ts'
export { LineBuffer } from './line-buffer.ts'
export { linesOf, sizeOf } from './lines.ts'
export { LogFile } from './log-file.ts'
export { packaged } from './packaged.ts'
export { isRunning, startOf } from './running.ts'
export { MadeOfFiles } from './unchanged.ts'
