/** The part of a model's process that loads: no gateway is imported here. */
import type { Loading, Place } from './messages.ts'

export type Library = typeof import('@xenova/transformers')
/** What the library's `from_pretrained` takes. */
interface LoadOptions {
  readonly quantized: true
  readonly progress_callback: (event: { status: string; file?: string; progress?: number }) => void
}

/** The message with its causes: "fetch failed" alone does not say that the host is unknown. */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const message = error.message.replace(/\.+$/, '')
  return error.cause instanceof Error && error.cause.message ? `${message}: ${reason(error.cause)}` : message
}

/** Imports the library and opens a model with it. Sends `ready` with what `open` gives, or why there is none. */
export async function load<Ready extends object>(
  place: Place,
  send: (message: Loading<Ready>) => void,
  open: (library: Library, options: LoadOptions) => Promise<Ready>,
): Promise<void> {
  let library: Library
  try {
    library = await import('@xenova/transformers')
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
    return send({ type: 'unready', why: missing ? 'missing_library' : 'broken_library', message: reason(error) })
  }
  try {
    const local = place.parent !== undefined
    Object.assign(library.env, {
      allowRemoteModels: !local,
      allowLocalModels: local,
      ...(local && { localModelPath: place.parent }),
      useFSCache: !local,
      cacheDir: place.cacheDir,
    })
    const progress_callback: LoadOptions['progress_callback'] = ({ status, file = '', progress = 0 }) => {
      // A local model reports progress as well, for reading its files.
      if (!local && status === 'progress') send({ type: 'progress', file, percent: progress })
    }
    send({ type: 'ready', ...(await withPrinted(() => open(library, { quantized: true, progress_callback }))) })
  } catch (error) {
    send({ type: 'unready', why: 'no_model', message: reason(error) })
  }
}

/** Adds what the library prints to its error, which does not say why a model fails to load. */
async function withPrinted<T>(run: () => Promise<T>): Promise<T> {
  const { error: toError, warn: toWarn } = console
  const printed: string[] = []
  console.error = console.warn = (first: unknown): void => void printed.push(reason(first))
  try {
    return await run()
  } catch (error) {
    throw new Error([reason(error), ...printed.slice(0, 1)].join(': '))
  } finally {
    console.error = toError
    console.warn = toWarn
  }
}
