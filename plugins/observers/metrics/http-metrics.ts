import { type CallTrace, isGatewayError, Memo, traces } from 'deflector'
import type { Metric } from 'deflector/facets/metrics'
import { HTTP_BOUNDS } from './labels.ts'
import { Histogram } from './series.ts'

/** Calls to surfaces by route, under the name that OpenTelemetry has for any HTTP server. */
export class HttpMetrics {
  readonly #durations = new Histogram(
    {
      name: 'http.server.request.duration',
      help: 'Time from a call to the last byte of its reply.',
      unit: 's',
      attributes: ['http.request.method', 'http.route', 'http.response.status_code', 'error.type'],
    },
    HTTP_BOUNDS,
  )
  readonly #begun = new Memo<number>()
  readonly #close: () => void

  /** Watches the calls of one gateway, until it is closed. */
  constructor(gateway: string) {
    const begin = (message: unknown): void => {
      const trace = message as CallTrace // the channel says what it is
      if (trace.gateway === gateway) this.#begun.set(trace, performance.now())
    }
    const end = (message: unknown): void => this.#add(message as CallTrace)
    traces.calls.start.subscribe(begin)
    traces.calls.asyncEnd.subscribe(end)
    this.#close = () => {
      traces.calls.start.unsubscribe(begin)
      traces.calls.asyncEnd.unsubscribe(end)
    }
  }

  close(): void {
    this.#close()
  }

  read(): Metric[] {
    return [this.#durations.read()]
  }

  #add(trace: CallTrace): void {
    const began = this.#begun.of(trace)
    if (began === undefined) return
    const { call, route, error } = trace
    // After an error of the route the reply has no status yet.
    const failed = error === undefined ? undefined : isGatewayError(error) ? error.status : 500
    const status = call.status ?? failed
    const facts = {
      'http.request.method': call.method,
      'http.route': route,
      'http.response.status_code': String(status ?? ''),
      'error.type': status !== undefined && status >= 500 ? String(status) : '',
    }
    this.#durations.record(facts, (performance.now() - began) / 1000)
  }
}
