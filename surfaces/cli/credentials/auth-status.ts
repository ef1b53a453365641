import { type Credential, CredentialError, type CredentialStore, secretOf } from 'deflector/credentials'
import { loadSettings } from '../../../config/load.ts'
import { maskSecret } from '../../../config/mask.ts'
import { withStore } from './open-store.ts'

const HEAD = ['provider', 'kind', 'credential', 'expires', 'stored'] as const

/** `deflector auth status`: what is stored, without a secret. */
export async function authStatus(): Promise<void> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env })
  await withStore(loaded, async store => {
    const names = await store.names()
    if (names.length === 0) {
      process.stdout.write('nothing is stored\n')
      return
    }
    const reasons = new Set<string>()
    const rows: (readonly string[])[] = [HEAD]
    for (const name of names) rows.push(await rowOf(name, store, reasons))
    process.stdout.write(`${tableOf(rows)}\n`)
    for (const reason of reasons) process.stderr.write(`deflector: ${reason}\n`)
    if (reasons.size > 0) process.exitCode = 1
  })
}

async function rowOf(name: string, store: CredentialStore, reasons: Set<string>): Promise<readonly string[]> {
  try {
    const stored = await store.get(name)
    return stored ? [name, ...cellsOf(stored)] : [name, 'gone', '-', '-', '-']
  } catch (error) {
    if (!(error instanceof CredentialError)) throw error
    reasons.add(error.message)
    return [name, 'unreadable', '-', '-', '-']
  }
}

function cellsOf(stored: Credential): readonly string[] {
  const shown = maskSecret(secretOf(stored))
  if (stored.kind === 'key') return ['key', shown, 'never', timeOf(stored.stored_at)]
  const { expires_at: end, refresh_token: refresh, renewed_at: renewed, stored_at } = stored
  const expires = end === undefined ? 'never' : `${timeOf(end)}${refresh === undefined ? '' : ' (is renewed)'}`
  return ['sign-in', shown, expires, timeOf(renewed ?? stored_at)]
}

/** To the minute, in UTC. */
const timeOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')}Z`

function tableOf(rows: readonly (readonly string[])[]): string {
  const width = (column: number): number => Math.max(...rows.map(row => row[column]?.length ?? 0))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
