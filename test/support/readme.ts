import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { z } from 'zod'
import { Shell } from '../surfaces/cli/command.ts'
import { FREE, up } from '../surfaces/cli/gateway.ts'
import { type Block, blocksOf, readDocument, root } from './markdown.ts'
import { SOURCES } from './typescript/flags.mjs'

/** The README's blocks, and a shell in which its commands run as they are written. */

export const readme = readDocument('README.md')
export const blocks = blocksOf(readme)
export const blocksIn = (language: string): Block[] => blocks.filter(block => block.language === language)

/** The file that a block says it is, in its first line. */
export const nameOf = ({ text }: Block): string => /^(?:\/\/|#) (\S+\.\w+)\n/.exec(text)?.[1] ?? ''

/** Commands that ask a running gateway. */
export const needsGateway = ({ text }: Block): boolean =>
  /\b(?:curl|claude)\b|deflector (?:cache|reload|stop|stats|explain|logs)\b/.test(text)

const main = [process.execPath, ...SOURCES, `${root}surfaces/cli/main.ts`].map(part => `"${part}"`).join(' ')
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readDocument('package.json')))

/** Commands that serve would not end. Their flags are looked up, and the settings around them are read. */
const npx = (bin: string): string =>
  `[ "$1" = deflector ] || { echo "npx $1 is not ours" >&2; exit 64; }
shift
case "$1" in
  up|mcp)
    help=$(cat "${bin}/$1.help")
    shift
    for flag; do case "$flag" in
      --*) echo "$help" | grep -q -e " $flag\\b" || { echo "there is no flag $flag" >&2; exit 64; };;
    esac; done
    if env | grep -q ^SERVICE__; then ${main} config show > /dev/null; fi;;
  *) exec ${main} "$@";;
esac
`

const npm = `case "$1" in
  ci) exit 0;;
  run) script=$2;;
  *) script=$1;;
esac
case " ${Object.keys(scripts).join(' ')} " in *" $script "*) ;; *) echo "npm has no $script" >&2; exit 64;; esac
`

/** A coding agent is not here: the address that it is given is looked at, and a server command is run. */
const claude = `for word; do
  shift
  case "$word" in
    http*) code=$(curl -s -o /dev/null -w '%{http_code}' "$word"); [ "$code" != 404 ] || { echo "nothing is at $word" >&2; exit 64; };;
    --) exec "$@";;
  esac
done
[ -z "$ANTHROPIC_BASE_URL" ] || curl -s "$ANTHROPIC_BASE_URL/v1/models" > /dev/null
`

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

export interface ReadmeShell {
  /** Writes a file beside the files of the README. */
  write(name: string, text: string): string
  run(program: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ran>
  /** Runs a block of shell lines; any that fails ends it. */
  runLines(block: Block, env?: Readonly<Record<string, string>>): Promise<Ran>
  /** A text of the README with the address of this gateway. */
  here(text: string): string
  close(): Promise<void>
}

/** A folder with the files of the README and, if asked for, a gateway in demo mode. The README's port becomes its port. */
export async function readmeShell({ gateway }: { readonly gateway: boolean }): Promise<ReadmeShell> {
  const shell = new Shell()
  const url = gateway
    ? (await up(shell, [...FREE, '--demo'], { SERVICE__CACHE_MODE: 'both', SERVICE__ENABLE_METRICS: 'true' })).url
    : 'http://127.0.0.1:1'
  const here = (text: string): string => text.replaceAll('http://127.0.0.1:8080', url)
  for (const block of [...blocksIn('ts'), ...blocksIn('yaml')]) shell.write(nameOf(block), block.text)
  symlinkSync(join(root, 'node_modules'), join(shell.cwd, 'node_modules'))

  const bin = join(shell.root, 'bin')
  mkdirSync(bin)
  for (const [name, script] of Object.entries({ npx: npx(bin), npm, claude })) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}`)
    chmodSync(join(bin, name), 0o755)
  }
  for (const serving of ['up', 'mcp']) {
    const { code, stdout } = await shell.run([serving, '--help'])
    assert.is(code, 0)
    writeFileSync(join(bin, `${serving}.help`), stdout)
  }
  writeFileSync(join(shell.root, '.curlrc'), 'fail\nsilent\nshow-error\n')

  const around = Object.entries(process.env).filter(([name]) => !/^(?:SERVICE_|ANTHROPIC_|OPENAI_|OTEL_)/.test(name))
  const own = { PATH: `${bin}:${process.env.PATH}`, CURL_HOME: shell.root, SERVICE_DATA_DIR: shell.dataDir }
  async function run(
    program: string,
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Ran> {
    const child = spawn(program, args, {
      cwd: shell.cwd,
      env: { ...Object.fromEntries(around), ...own, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    child.stdout.on('data', bytes => {
      out += bytes
    })
    child.stderr.on('data', bytes => {
      err += bytes
    })
    const [code] = await once(child, 'close')
    return { code, out, err }
  }
  return {
    here,
    run,
    write: (name, text) => shell.write(name, text),
    runLines: ({ text }, env) => run('sh', ['-e', '-c', here(text)], env),
    close: () => shell.close(),
  }
}
