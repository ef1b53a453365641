/** Names of OpenTelemetry's conventions for generative AI. */

/** Vendors whose name there is another one than ours. */
const VENDORS: Readonly<Record<string, string>> = {
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  gemini: 'gcp.gemini',
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  xai: 'x_ai',
}

/** `gen_ai.provider.name` of a provider's instance: instances made from settings are their vendor's, with a number. */
export function vendorName(provider: string): string {
  const vendor = provider.replace(/-\d+$/, '')
  return VENDORS[vendor] ?? vendor
}

/** `gen_ai.operation.name` of an operation. */
export const genAiOperation = (operation: string): string =>
  operation === 'completions' ? 'text_completion' : operation

/** Where calls go, as attributes: the port only where it is not its protocol's own. */
export interface ServerAttributes {
  readonly 'server.address': string
  readonly 'server.port'?: number
}

export function serverAttributes(url: string): ServerAttributes {
  const { hostname, port } = new URL(url)
  return { 'server.address': hostname, ...(port !== '' && { 'server.port': Number(port) }) }
}

/** The same for each provider, by instance name. */
export const serversOf = (
  endpoints: ReadonlyMap<string, { readonly url: string }>,
): ReadonlyMap<string, ServerAttributes> =>
  new Map([...endpoints].map(([provider, { url }]) => [provider, serverAttributes(url)]))
