/** What one client sends to its own vendor as a system block, anew with each request. Anything more may be an instruction. */
const BILLING = /^x-anthropic-billing-header:(?: *(?:cc_version|cc_entrypoint|cch)=[\w.-]{1,64};)+\s*$/

/** Is this system text of exactly the shape that the client sends: each name once, and short values? */
export function isBilling(text: string): boolean {
  if (!BILLING.test(text)) return false
  const names = text.match(/\w+(?==)/g) ?? []
  return new Set(names).size === names.length
}
