import { isSecretParameter } from './secret-names.ts'

/** Where a parameter of a query or fragment begins, up to its value. In a URL inside a URL its signs are encoded. */
const PARAMETER = /(?:&amp;|[?&#]|%(?:25)?(?:3f|26|23))([\w.$[\]%-]{1,80}?)(?:=|%(?:25)?3d)/gi
const VALUE_END = /[\s&#"'`<>\\]|$/g
/** The place of a user and a password in a URL. JSON may have its slashes escaped. */
const USER = /(:(?:\\*\/){2})([^\s/?#"'`<>\\]+)@/g
const ENCODED_USER = /(%3a%2f%2f)((?:[^\s/?#&"'`<>\\%]|%(?!2f|3f|23))+)%40/gi
/** The same at the end of a text that is cut. */
const CUT_USER = /(:(?:\\*\/){2})([^\s/?#"'`<>\\@:[]+:[^\s/?#"'`<>\\]+)$/
const PORT = /:\d{1,5}\W*$/
/** A user's name alone is a token only if it is longer. */
const LONGEST_USER = 15

/** A text with `instead` for all secrets that URLs in it have: users with their passwords, and values of parameters. */
export const withoutUrlSecrets = (text: string, instead: string): string =>
  withoutUsers(withoutParameters(text, instead), instead)

function withoutParameters(text: string, instead: string): string {
  let clean = ''
  let from = 0
  for (const { index, 0: begin, 1: name = '' } of text.matchAll(PARAMETER)) {
    if (index < from || !isSecretParameter(decoded(name))) continue
    const value = index + begin.length
    VALUE_END.lastIndex = value
    const end = VALUE_END.exec(text)?.index ?? text.length
    if (end === value) continue
    clean += text.slice(from, value) + instead
    from = end
  }
  return clean + text.slice(from)
}

function withoutUsers(text: string, instead: string): string {
  if (!text.includes(':') && !text.includes('%')) return text
  return text
    .replace(USER, (whole, slashes: string, user: string) => (isSecretUser(user) ? `${slashes}${instead}@` : whole))
    .replace(ENCODED_USER, (_, slashes: string) => `${slashes}${instead}%40`)
    .replace(CUT_USER, (whole, slashes: string) => (PORT.test(whole) ? whole : slashes + instead))
}

const isSecretUser = (user: string): boolean => user.includes(':') || user.length > LONGEST_USER

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
