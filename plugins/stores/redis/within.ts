/**
 * The promise's outcome, or an error after `ms`. An answer that has arrived counts even when this process was too busy
 * to read it in time: before giving up, the event loop gets one turn to do so.
 */
export function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`no answer within ${ms} ms`))
    const timer = setTimeout(() => setImmediate(late), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
