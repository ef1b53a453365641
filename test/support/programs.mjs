import { spawn, spawnSync } from 'node:child_process'

/** Programs that some tests need, each with the arguments that only ask for its version. */
const VERSION = { 'redis-server': ['--version'], openssl: ['version'], chromium: ['--version'], tmux: ['-V'] }

export const isInstalled = name => spawnSync(name, VERSION[name], { stdio: 'ignore' }).status === 0

/** Only CI may change the machine, and only root can. */
const mayInstall = () => process.env.CI === '1' && process.getuid?.() === 0

/** Installs a program from the Debian package of its name, where that is allowed. */
export async function install(name) {
  if (isInstalled(name) || !mayInstall()) return
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = (...args) =>
    new Promise(resolve => {
      const child = spawn('apt-get', ['-y', '-o', 'DPkg::Lock::Timeout=120', ...args], { env, stdio: 'ignore' })
      child.on('error', () => resolve(false))
      child.on('close', code => resolve(code === 0))
    })
  if (!(await apt('install', name)) && (await apt('update'))) await apt('install', name)
}

/** What a file says instead of running its tests. */
export const missingLine = name => `not run: ${name} is missing`

/** The program that a file's output calls missing. */
export const missingIn = output => /^not run: (\S+) is missing$/m.exec(output)?.[1]
