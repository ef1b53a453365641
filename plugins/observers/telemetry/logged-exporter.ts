import type { tracing } from '@opentelemetry/sdk-node'
import type { Log } from 'deflector'

type Exporter = tracing.SpanExporter
type Result = Parameters<Parameters<Exporter['export']>[1]>[0]

/** What the library calls `ExportResultCode.SUCCESS`. */
const SUCCESS = 0

/** Forwards spans to an exporter, and logs once when exports begin to fail and once when they work again. */
export class LoggedExporter implements Exporter {
  readonly #exporter: Exporter
  readonly #log: Log
  #failing = false

  constructor(exporter: Exporter, log: Log) {
    this.#exporter = exporter
    this.#log = log
  }

  export(...[spans, done]: Parameters<Exporter['export']>): void {
    this.#exporter.export(spans, result => {
      this.#logChange(result)
      done(result)
    })
  }

  async forceFlush(): Promise<void> {
    await this.#exporter.forceFlush?.()
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown()
  }

  #logChange({ code, error }: Result): void {
    const fails = code !== SUCCESS
    if (fails === this.#failing) return
    this.#failing = fails
    if (fails) this.#log.warn('traces do not reach the collector; requests go on without', { error: error?.message })
    else this.#log.info('traces reach the collector again')
  }
}
