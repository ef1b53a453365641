import { setTimeout as sleep } from 'node:timers/promises'
import { type DeviceGrant, type SignIn, signInByBrowser, signInByDevice, signIns } from 'deflector/credentials'
import { type LoadedSettings, loadSettings } from '../../../config/load.ts'
import { wrapped } from '../../../ui-tui/terminal-text.ts'
import { knownProvider } from './known-provider.ts'
import { withStore } from './open-store.ts'
import { storePasted } from './set-key.ts'
import { missingIn, signInValues } from './sign-in-values.ts'

export interface AuthOptions {
  readonly keyFile?: string
  /** Sign in with a browser of this machine in place of a code. */
  readonly browser?: boolean
}

/**
 * `deflector auth <provider>`: signs in to a vendor that people sign in to, and takes a pasted key for any other, or where
 * the settings of the sign-in are missing.
 */
export async function auth(provider: string, { keyFile, browser = false }: AuthOptions): Promise<void> {
  const loaded = loadSettings({ cwd: process.cwd(), env: process.env })
  const { name, vendor } = await knownProvider(provider, loaded, [...signIns.keys()])
  const signIn = signIns.get(vendor)
  const missing = signIn && keyFile === undefined ? missingIn(signIn, loaded) : undefined
  if (missing !== undefined) process.stderr.write(`deflector: ${missing}\n`)
  if (!signIn || keyFile !== undefined || missing !== undefined) return storePasted(name, loaded, { keyFile })
  await signInTo(signIn, name, loaded, browser)
}

async function signInTo(signIn: SignIn, name: string, loaded: LoadedSettings, browser: boolean): Promise<void> {
  process.stderr.write(`deflector: ${signIn.notice}\n`)
  const values = signInValues(signIn, loaded)
  const clock = { now: () => Date.now(), monotonic: () => performance.now(), sleep: (ms: number) => sleep(ms) }
  const place = await withStore(loaded, async store => {
    await store.check()
    const token = browser
      ? await signInByBrowser({ signIn, values, now: clock.now, show: showUrl })
      : await signInByDevice(signIn, values, clock, show)
    await store.set(name, token)
    return store.masterKeyPlace()
  })
  process.stdout.write(`signed in: ${name}, encrypted with the master key in ${place}\n`)
}

/** What comes from a server must not control the terminal. */
const plain = (text: string): string => wrapped(text, 2_000).join(' ')

function show({ userCode, url, completeUrl }: DeviceGrant): void {
  process.stdout.write(`open ${plain(completeUrl ?? url)}\nand confirm the code ${plain(userCode)}\n`)
}

const showUrl = (url: string): void => void process.stdout.write(`open ${plain(url)}\n`)
