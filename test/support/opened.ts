import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import 'uvu'

/**
 * What a test file has opened and not closed yet: gateways, servers, child processes, folders. After the last suite all
 * of it is closed, so a failed assertion keeps nothing alive. A file that failed then ends at once, whatever else it
 * left open; a file that passed ends by itself, which proves that nothing leaks.
 */
const closers = new Set<() => Promise<void>>()

/** Registers a closer; gives it back as a function that closes once. */
export function opened(close: () => unknown): () => Promise<void> {
  let closed: Promise<void> | undefined
  const once = (): Promise<void> => {
    closers.delete(once)
    closed ??= Promise.resolve(close()).then(() => {})
    return closed
  }
  closers.add(once)
  return once
}

/** A new folder that is gone when the file ends. */
export function tempFolder(name = 'test'): string {
  const folder = mkdtempSync(join(tmpdir(), `deflector-${name}-`))
  opened(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function closeAll(): Promise<string> {
  const problems: string[] = []
  // The last opened comes first: a gateway leaves before its vendor and its store.
  for (const close of [...closers].reverse()) {
    await close().catch(error => problems.push(error instanceof Error ? (error.stack ?? error.message) : String(error)))
  }
  return problems.join('\n')
}

type SuiteResult = [errors: string | true, passed: number, skipped: number, total: number]
declare global {
  /** uvu's groups of suites: a file name, then what runs a suite. Groups run one after the other. */
  var UVU_QUEUE: [string | null, ...(() => Promise<SuiteResult>)[]][]
}

globalThis.UVU_QUEUE.push([
  null,
  async () => {
    const problems = await closeAll()
    // uvu sets the exit code right after this last suite.
    setImmediate(() => {
      if (process.exitCode) process.exit()
    })
    return problems === '' ? [true, 0, 0, 0] : [problems, 0, 0, 1]
  },
])

// A file that ends in another way still kills its children and removes its folders: closers do these things first.
process.once('exit', () => {
  for (const close of [...closers].reverse()) close().catch(() => {})
})
