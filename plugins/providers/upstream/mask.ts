/** What looks like a key by how it begins: known prefixes, bearer values, tokens in URLs. */
const PREFIXED = [
  /\b(?:sk|pk|rk|gsk|xai|nvapi|hf|r8|csk|fw|pplx|tgp|ghp|gho|ghu|ghs|github_pat)[-_][^\s"',;)}\]]{4,}/gi,
  /\bAIza[\w-]{8,}/g,
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=\bbearer\s)[^\s"',;)]+/gi,
  /(?<=[?&](?:key|api_key|token|access_token)=)[^\s&"']+/gi,
]
/** And long runs of letters and digits mixed. */
const SECRETS = [
  ...PREFIXED,
  // Ids of requests and answers are as long as keys; whoever asks the vendor for help has to name them.
  /\b(?!(?:req|msg|resp|chatcmpl)_)(?=\w*\d)(?=\w*[A-Za-z])\w{32,}\b/g,
]

/** A vendor's text, as far as `most` characters, with all that looks like a key masked. */
export function masked(text: string, secrets: readonly string[], most: number): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '***')
  // Half a key, where a text is cut, is known by nothing.
  clean = clean.slice(0, most)
  for (const pattern of SECRETS) clean = clean.replace(pattern, '***')
  return clean
}

/** Shorter values of headers are no keys, and most are as short as a number. */
const SHORTEST_KEY = 8
const KEYS = new RegExp(PREFIXED.map(({ source }) => source).join('|'), 'gi')

/**
 * The value of a vendor's header with its keys masked. A long run of letters and digits stays, as most ids of requests
 * are such a run.
 */
export function unkeyed(value: string, secrets: readonly string[]): string {
  if (value.length < SHORTEST_KEY && !secrets.includes(value)) return value
  let clean = value
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, '***')
  return clean.replace(KEYS, '***')
}

/** A vendor's sentence as it may be shown: one line, keys masked, at most 500 characters. */
export const cleaned = (message: string, secrets: readonly string[]): string =>
  masked(message, secrets, 4000)
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
