import { readFileSync } from 'node:fs'
import { isJsonObject, keyProblem } from '../../../config/key-problem.ts'
import { CommandError } from '../failure.ts'

export interface SecretInput {
  /** What the person is asked for, on a terminal. */
  readonly question: string
  /** The value of `--key`. */
  readonly key?: string | undefined
  /** The value of `--key-file`. */
  readonly keyFile?: string | undefined
}

/** Bytes that are read of stdin or a file: a service account's JSON has some thousand. */
const MOST_BYTES = 64 * 1024

/**
 * A secret from `--key-file`, from stdin, or typed on a terminal, where it is not shown. Throws a `CommandError` for one
 * that is empty or no key.
 */
export async function readSecret({ question, key, keyFile }: SecretInput): Promise<string> {
  if (key !== undefined) {
    process.stderr.write(
      'deflector: warning: a key on the command line can be seen by every process of this machine, and stays in the history of the shell; use stdin or --key-file\n',
    )
    return checked(key, '--key')
  }
  if (keyFile !== undefined) return checked(contentOf(keyFile), keyFile)
  if (process.stdin.isTTY) return checked(await typed(question), 'what was typed')
  return checked(await piped(), 'stdin')
}

/** A key is one word; the credential of a service account is JSON. */
function checked(text: string, where: string): string {
  const secret = text.trim()
  if (secret === '') throw new CommandError(`${where} is empty; give the key`)
  if (/\s/.test(secret) && !isJsonObject(secret))
    throw new CommandError(`${where} has spaces or line breaks in it, so it is no key; give the key alone`)
  const problem = keyProblem(secret)
  if (problem !== undefined) throw new CommandError(`${where} ${problem}`)
  return secret
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable'
    throw new CommandError(`--key-file: ${file} cannot be read (${code}); check the path and its permissions`)
  }
}

async function piped(): Promise<string> {
  const pieces: Buffer[] = []
  let size = 0
  for await (const piece of process.stdin) {
    const bytes = Buffer.from(piece)
    size += bytes.length
    if (size > MOST_BYTES) throw new CommandError('stdin is longer than any key; give the key alone')
    pieces.push(bytes)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Enter, and Ctrl-D. */
const ENDS: ReadonlySet<string> = new Set(['\r', '\n', '\u0004'])
const ERASES: ReadonlySet<string> = new Set(['\u0008', '\u007f'])
const INTERRUPT = '\u0003'

/** Reads up to Enter in raw mode, so that the terminal shows nothing. Ctrl-C ends the command. */
function typed(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    let line = ''
    const end = (finish: () => void): void => {
      stdin.off('data', onText)
      stdin.setRawMode(false)
      stdin.pause()
      stderr.write('\n')
      finish()
    }
    const onText = (text: string): void => {
      for (const character of text) {
        if (character === INTERRUPT || ENDS.has(character)) {
          end(character === INTERRUPT ? () => reject(new CommandError('nothing was stored')) : () => resolve(line))
          return
        }
        line = ERASES.has(character) ? line.slice(0, -1) : line + character
      }
    }
    stdin.on('data', onText)
  })
}
