import { startVendor, type Vendor, type VendorCall, type Reply as VendorReply } from 'deflector/contracts/vendor'
import type { Reply } from './section.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** One call as it came to a stub upstream. */
export interface Sent {
  readonly provider: string
  /** Below the instance's own prefix: `/v1/chat/completions`. */
  readonly path: string
  readonly headers: VendorCall['headers']
  readonly body: unknown
}

export type Replies = Readonly<Record<string, Reply | readonly Reply[]>>

/**
 * A real upstream on loopback for every provider at once: `/<instance>/v1/...`. Each call is answered as the step that
 * runs has it, in the dialect of its path.
 */
export class StubUpstream {
  readonly sent: Sent[] = []
  readonly #vendor: Vendor
  readonly #taken = new Map<string, number>()
  #replies: Replies = {}

  private constructor(vendor: Vendor) {
    this.#vendor = vendor
    vendor.script(call => this.#take(call))
  }

  static async start(clock: VirtualClock): Promise<StubUpstream> {
    return new StubUpstream(await startVendor({ pause: ms => clock.sleep(ms), busy: () => clock.stir() }))
  }

  /** The base URL to give a provider instance. */
  url(instance: string): string {
    return `http://127.0.0.1:${this.#vendor.port}/${encodeURIComponent(instance)}/v1`
  }

  /** A new step: its replies, and no call yet. */
  begin(replies: Replies): void {
    this.#replies = replies
    this.#taken.clear()
    this.sent.length = 0
  }

  close(): Promise<void> {
    return this.#vendor.close()
  }

  #next(provider: string): Reply {
    const given = this.#replies[provider]
    const taken = this.#taken.get(provider) ?? 0
    this.#taken.set(provider, taken + 1)
    const list = given === undefined ? [] : [given].flat()
    return list[Math.min(taken, list.length - 1)] ?? { text: `an answer of ${provider}` }
  }

  #take({ path: asked, headers, body, raw }: VendorCall): VendorReply {
    const [, instance = '', path = '/'] = /^\/([^/]+)(\/.*)$/.exec(asked) ?? []
    const provider = decodeURIComponent(instance)
    this.sent.push({ provider, path, headers, body: body ?? raw.toString('utf8') })
    return vendorReply(this.#next(provider))
  }
}

/** A reply as the pipeline file has it, in the words of the stub vendor. */
function vendorReply({ text = '', tool_calls, body, sse, die_after, delay_ms, ...rest }: Reply): VendorReply {
  return {
    ...rest,
    text,
    ...(tool_calls && { toolCalls: tool_calls }),
    ...(sse
      ? { sse: sse.map(event) }
      : body !== undefined && (typeof body === 'string' ? { raw: body } : { json: body })),
    ...(die_after === 0 ? { reset: true } : die_after !== undefined && { dieAfter: die_after }),
    ...(delay_ms !== undefined && { delayMs: delay_ms }),
  }
}

const event = (given: unknown): string =>
  `data: ${typeof given === 'string' ? given : JSON.stringify(given)}\n\n`.replace(/^data: (?=event:)/, '')
