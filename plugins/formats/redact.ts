import { memberNames } from './member-names.ts'
import { isSecretMember, isSecretName, isSecretParameter } from './secret-names.ts'
import { withoutUrlSecrets } from './secret-urls.ts'

/** Takes secrets out of what is written down. It errs on the side of taking out too much. */

/** What stands where a secret stood. */
export const REDACTED = '[redacted]'

/** Keys that their makers gave a shape, each with a sign without which no text has one. */
const SHAPES: readonly { readonly sign: RegExp; readonly shape: RegExp }[] = [
  { sign: /-----BEGIN/, shape: /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g },
  {
    // A cut one at the end of a text has no least length.
    sign: /[-_.](?:[A-Za-z0-9_.-]{12}|[A-Za-z0-9_.-]*$)/,
    shape:
      /\b(?:sk|pk|rk|gsk|xai|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeoprs]|hf|pplx|tvly|r8|nvapi|csk|fw|aiza|ya29|dop_v1|npm|lin_api|whsec)[-_.](?:[A-Za-z0-9_.-]{12,}|[A-Za-z0-9_.-]*$)/gi,
  },
  { sign: /AIza/, shape: /\bAIza[A-Za-z0-9_-]{16,}/g },
  { sign: /A[KS]IA/, shape: /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g },
  { sign: /yJ/, shape: /\beyJ[A-Za-z0-9_-]{8,256}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g },
  { sign: /bearer|basic/i, shape: /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi },
]

/** The values of headers that may be secrets, with the word before them taken off: the same may stand elsewhere, too. */
export function secretsIn(headers: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(headers).flatMap(([name, value = '']) => {
    if (!isSecretName(name)) return []
    const secret = value.replace(/^\s*[A-Za-z]+\s+/, '').trim()
    return secret.length >= SHORTEST ? [secret] : []
  })
}
/** A shorter one would be found in ordinary words. */
const SHORTEST = 6

/** Headers with the values of those that may hold a secret taken out, and of all others what looks like one. */
export function redactHeaders(
  headers: Readonly<Record<string, string | undefined>>,
  { longest, most }: { readonly longest: number; readonly most: number },
): Record<string, string> {
  const clean: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers).slice(0, most)) {
    if (value === undefined) continue
    clean[name.slice(0, longest)] = isSecretName(name) ? REDACTED : shown(value, longest)
  }
  return clean
}

/** A query with the values of parameters that may hold a secret taken out; `''` for an empty one. */
export function redactQuery(query: URLSearchParams, longest: number): string {
  const clean = new URLSearchParams()
  for (const [name, value] of query) {
    clean.append(name.slice(0, longest), isSecretParameter(name) ? REDACTED : shown(value, longest))
  }
  const text = clean.toString().slice(0, longest)
  return text === '' ? '' : `?${text}`
}

/** Characters behind a cut that are looked at, too: a secret which is cut there is known for one. */
const LOOK_AHEAD = 512

function shown(value: string, longest: number): string {
  const clean = withoutKeys(value.slice(0, longest + LOOK_AHEAD))
  return clean.slice(
    0,
    value.length > longest + LOOK_AHEAD ? Math.max(0, Math.min(longest, clean.length - LOOK_AHEAD)) : longest,
  )
}

/**
 * A text that is JSON, or has JSON in it (events of a stream), or is the beginning of such a text: members whose names say
 * that they hold a secret lose their values, unless those are numbers or words of JSON. So does all that looks like a key,
 * secrets in URLs, and all `known` secrets.
 */
export function redactText(text: string, known: readonly string[] = []): string {
  const plain = text.includes('\\u00') ? unescaped(text) : text
  const clean = redactPlain(plain, known)
  return clean === plain ? text : clean
}

/** A text whose escapes of ASCII characters are these characters: names and URLs can be found in it. */
const unescaped = (text: string): string =>
  text.replace(/(?<!\\)(\\+)u00([2-7][0-9a-fA-F])/g, (whole, slashes: string, code: string) => {
    const character = String.fromCharCode(Number.parseInt(code, 16))
    if (character === '\\') return whole
    return character === '"' ? `${'\\'.repeat(2 * slashes.length - 1)}"` : character
  })

function redactPlain(text: string, known: readonly string[]): string {
  let clean = ''
  let from = 0
  for (const { name, from: begin, value, depth } of memberNames(text)) {
    if (begin < from || !isSecretMember(name)) continue
    const slashes = '\\'.repeat(depth)
    const end = endOfSecret(text, value, slashes)
    if (end === value) continue
    clean += `${text.slice(from, value)}${slashes}"${REDACTED}${slashes}"`
    from = end
  }
  clean += text.slice(from)
  for (const secret of known) clean = clean.replaceAll(secret, REDACTED)
  return withoutKeys(clean)
}

const withoutKeys = (text: string): string => withoutShapes(withoutUrlSecrets(text, REDACTED))

function withoutShapes(text: string): string {
  let clean = text
  for (const { sign, shape } of SHAPES) if (sign.test(clean)) clean = clean.replace(shape, REDACTED)
  return clean
}

/** Where the value ends that begins at `start`; `start` for one that can be no secret. */
function endOfSecret(text: string, start: number, slashes: string): number {
  if (text.startsWith(`${slashes}"`, start)) return endOfText(text, start + slashes.length + 1, slashes.length)
  if (text[start] === '{' || text[start] === '[') return endOfGroup(text, start, slashes.length)
  return start
}

/** Behind the quote that ends a string; the end of the text for one that is cut. */
function endOfText(text: string, from: number, depth: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0
    while (at - slashes > from && text[at - slashes - 1] === '\\') slashes++
    if (depth === 0 ? slashes % 2 === 0 : slashes <= depth) return at + 1
  }
  return text.length
}

function endOfGroup(text: string, start: number, depth: number): number {
  let open = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') at = endOfText(text, at + 1, depth) - 1
    else if (character === '{' || character === '[') open++
    else if (character === '}' || character === ']') open--
    if (open === 0) return at + 1
  }
  return text.length
}
