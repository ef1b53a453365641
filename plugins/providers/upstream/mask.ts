/** What looks like a key: known prefixes, bearer values, tokens in URLs, and long runs of letters and digits mixed. */
const SECRETS = [
  /\b(?:sk|pk|rk|gsk|xai|nvapi|hf|r8|csk|fw|pplx|tgp|ghp|gho|ghu|ghs|github_pat)[-_][^\s"',;)}\]]{4,}/gi,
  /\bAIza[\w-]{8,}/g,
  /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?/g,
  /(?<=\bbearer\s)[^\s"',;)]+/gi,
  /(?<=[?&](?:key|api_key|token|access_token)=)[^\s&"']+/gi,
  /\b(?=\w*\d)(?=\w*[A-Za-z])\w{32,}\b/g,
]

/** A vendor's sentence as it may be shown: one line, keys masked, at most 500 characters. */
export function cleaned(message: string, secrets: readonly string[]): string {
  let line = message.slice(0, 4000)
  for (const secret of secrets) if (secret.length >= 4) line = line.replaceAll(secret, '***')
  for (const pattern of SECRETS) line = line.replace(pattern, '***')
  return line
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, 500)
}
