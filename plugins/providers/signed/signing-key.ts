/** What requests are signed with. */
export interface SigningKey {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** `ID:SECRET`, or `ID:SECRET:SESSION_TOKEN`, as headers take them. None of the three has a colon, nor has a bearer key. */
const FORM = /^(\w+):([!-9;-~]+)(?::([!-9;-~]*))?$/

/** `undefined` for a key that is sent as it is. */
export function signingKeyOf(key: string): SigningKey | undefined {
  const [, accessKeyId, secretAccessKey, sessionToken] = FORM.exec(key) ?? []
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }
}

/** The three as one key. */
export const signingKey = (id: string, secret: string, token: string): string => [id, secret, token].join(':')

export const isSigning = (key: string): boolean => FORM.test(key)
