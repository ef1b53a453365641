import { z } from 'zod'
import type { Gateway } from '../../core/gateway.ts'
import type { Pipeline } from '../../core/pipeline.ts'

export interface Address {
  readonly host: string
  readonly port: number
}

const addressed = z.object({ address: z.custom<() => unknown>(value => typeof value === 'function') })
const whereSchema = z.object({ host: z.string(), port: z.number() })

/** Where the gateway listens: what the first surface that listens keeps under `listener:<its name>`. */
export function addressOf(gateway: Gateway): Address | undefined {
  for (const name of gateway.current.pipeline.instances.surface.keys()) {
    const kept = gateway.kept(`listener:${name}`)
    if (!addressed.safeParse(kept).success) continue
    const { address } = kept as z.output<typeof addressed>
    const where = whereSchema.safeParse(address.call(kept))
    if (where.success) return where.data
  }
  return undefined
}

/** Does any surface of this pipeline listen? Each that does keeps something under `listener:<its name>` once it is wired. */
export const listens = ({ instances }: Pipeline, kept: (id: string) => unknown): boolean =>
  [...instances.surface.keys()].some(name => kept(`listener:${name}`) !== undefined)

/** How a client on this machine reaches it: an address that means all of them becomes loopback. */
export function localUrl({ host, port }: Address): string {
  const near = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return `http://${near.includes(':') ? `[${near}]` : near}:${port}`
}

/** Only programs on this machine can connect. */
export const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || /^127\./.test(host)
