/** Instance names of the providers that the settings describe, the primary first: as an entry says, else after its vendor. */
export function providerNames({
  llm_provider,
  fallback_providers,
}: {
  readonly llm_provider: string
  readonly fallback_providers: readonly { readonly provider: string; readonly name?: string | undefined }[]
}): string[] {
  const names = [llm_provider]
  for (const { provider, name } of fallback_providers) names.push(name ?? freeName(provider, names))
  return names
}

/** A second provider of one vendor is `groq-2`. */
function freeName(vendor: string, taken: readonly string[]): string {
  let name = vendor
  for (let count = 2; taken.includes(name); count++) name = `${vendor}-${count}`
  return name
}
