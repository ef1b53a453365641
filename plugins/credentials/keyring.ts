import { spawn } from 'node:child_process'

/** The place where the operating system keeps secrets of this user. */
export interface Keyring {
  /** As a person knows it. */
  readonly name: string
  /** `undefined` where it has none, or does not answer in time. */
  get(account: string): Promise<string | undefined>
  /** False where it does not take it. */
  set(account: string, secret: string): Promise<boolean>
}

/** A locked keyring asks its user, who may not be there. */
const TIME_LIMIT_MS = 2_000

const SERVICE = 'deflector'

/** The keyring of this platform, used through its own tool; `undefined` where there is none. */
export function systemKeyring(platform: NodeJS.Platform = process.platform): Keyring | undefined {
  if (platform === 'darwin') return KEYCHAIN
  return platform === 'linux' ? SECRET_SERVICE : undefined
}

/** Secrets go through stdin: arguments are seen by every process of the machine. Ours have no quotes in them. */
const KEYCHAIN: Keyring = {
  name: 'the keychain',
  get: account => output('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w']),
  set: async (account, secret) => {
    const command = `add-generic-password -U -s "${SERVICE}" -a "${account}" -w "${secret}"\n`
    return (await output('security', ['-i'], command)) !== undefined
  },
}

const SECRET_SERVICE: Keyring = {
  name: 'the keyring',
  get: account => output('secret-tool', ['lookup', 'service', SERVICE, 'account', account]),
  set: async (account, secret) => {
    const named = ['store', '--label', 'deflector: master key of stored credentials']
    return (await output('secret-tool', [...named, 'service', SERVICE, 'account', account], secret)) !== undefined
  },
}

/** What a tool says on stdout, trimmed; `undefined` where it is missing, fails, or takes too long. */
function output(tool: string, args: readonly string[], input = ''): Promise<string | undefined> {
  return new Promise(resolve => {
    const child = spawn(tool, args, {
      stdio: ['pipe', 'pipe', 'ignore'],
      timeout: TIME_LIMIT_MS,
      killSignal: 'SIGKILL',
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      said += piece
    })
    child.on('error', () => resolve(undefined))
    child.on('close', code => resolve(code === 0 ? said.trim() : undefined))
    child.stdin.on('error', () => {})
    child.stdin.end(input)
  })
}
