import { type Cancellation, ProviderError, parseLargeJson, type VendorModel } from 'deflector'
import { mediaType } from './media-type.ts'
import { type Endpoint, refuseType, type Sending, sent } from './vendor-call.ts'

/** Where a vendor lists its models, and how the list reads. */
export interface ModelList {
  /** From the `url` option. */
  url(base: string): URL
  /** Of the parsed reply, which for some is a bare list. */
  read(body: unknown): readonly VendorModel[]
}

/** One look at the list. Throws only `ProviderError`. */
export async function listModels(
  endpoint: Endpoint,
  sending: Pick<Sending, 'headers' | 'secrets'>,
  list: ModelList,
  cancellation: Cancellation,
): Promise<readonly VendorModel[]> {
  const reply = await sent({ headers: {}, cancellation }, endpoint, { ...sending, method: 'GET' })
  if (mediaType(reply) !== 'json') return refuseType(reply, endpoint.name, sending.secrets)
  const bytes = await reply.bytes()
  try {
    return list.read(await parseLargeJson(bytes, { repeats: 'last' }))
  } catch {
    throw new ProviderError('protocol', `${endpoint.name} sent a list of models that is no JSON`)
  }
}
