import { remember } from './remember.ts'

/** Of names without case and separators: what they hold opens something. */
const SECRET_NAME =
  /(?:apikey|accesskey|privatekey|secretkey|sessionkey|signingkey|authkey|masterkey|keyid|authorization|password|passwd|passphrase|secret|credential|cookie|bearer|jwt|assertion|refreshtoken|accesstoken|idtoken|securitytoken|csrf|xsrf)/
const SECRET_ENDING = /(?:token|auth)$/
/** Last words of names. They are too short to be looked for inside others. */
const SECRET_WORDS: ReadonlySet<string> = new Set(['pwd', 'pat', 'otp', 'pin', 'dsn'])
/** A key with one of these words before it finds something, and opens nothing. */
const FINDING: ReadonlySet<string> = new Set([
  'cache',
  'foreign',
  'idempotency',
  'partition',
  'primary',
  'public',
  'sort',
])
/** In a URL a short name is enough: what a query says is seldom prompt text. */
const SECRET_PARAMETERS: ReadonlySet<string> = new Set(['key', 'sig', 'signature', 'code', 'state', 'k'])

const bare = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** `OPENAI_KEY_2` and `openaiKey` end in the word `key`, `monkey` does not. Prompts have `key` alone. */
function endsInSecretWord(name: string): boolean {
  const words =
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .match(/[a-z0-9]+/g)
      ?.filter(word => /[a-z]/.test(word)) ?? []
  const [last = '', before] = words.reverse()
  return SECRET_WORDS.has(last) || (last === 'key' && before !== undefined && !FINDING.has(before))
}

/** May what has this name be a secret? Of a header, or of a member of a JSON object. */
export const isSecretName = (name: string): boolean => name.length > LONGEST || isSecret(name)
const isSecret = remember(name => {
  const plain = bare(name)
  return SECRET_NAME.test(plain) || SECRET_ENDING.test(plain) || endsInSecretWord(name)
})
/** Nobody has a longer name, and whoever does is not shown what it holds. */
const LONGEST = 256

/** The same of a member of a body. Headers in a body are a client's credentials for another server. */
export const isSecretMember = (name: string): boolean => isSecretName(name) || holdsHeaders(name)
const holdsHeaders = remember(name => /(?:^|[^a-z])headers$/i.test(name) || /[a-z]Headers$/.test(name))

/** The same of a parameter of a URL, as it is written there. */
export const isSecretParameter = (name: string): boolean => isSecretName(name) || SECRET_PARAMETERS.has(bare(name))
