import { fileURLToPath } from 'node:url'
import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { startTerminal, type Terminal } from '../support/tmux.ts'
import { SOURCES } from '../support/typescript/flags.mjs'
import { until } from '../support/until.ts'
import { inShell } from '../surfaces/cli/command.ts'
import { FREE, up } from '../surfaces/cli/gateway.ts'

const main = fileURLToPath(new URL('../../surfaces/cli/main.ts', import.meta.url))
const crash = fileURLToPath(new URL('../fixtures/terminal/crash.mjs', import.meta.url))
const program = (...flags: readonly string[]): string =>
  ['node', ...SOURCES, ...flags, main, 'top --interval 0.2'].join(' ')

const ask = async (url: string, prompt: string, more: Readonly<Record<string, string>> = {}): Promise<void> => {
  const body = JSON.stringify({ prompt })
  const headers = { 'content-type': 'application/json', 'user-agent': 'aider/1', ...more }
  await (await fetch(`${url}/api/chat`, { method: 'POST', headers, body })).text()
}

interface Totals {
  readonly total_prompts: number
  readonly total_deflected_prompts: number
}
const totals = async (url: string): Promise<Totals> => {
  const read: Totals = JSON.parse(await (await fetch(`${url}/debug/stats/prompts`)).text())
  return read
}

/** Resolves once the screen shows what the gateway counts. */
async function agrees(terminal: Terminal, url: string): Promise<void> {
  const { total_prompts: all, total_deflected_prompts: deflected } = await totals(url)
  await terminal.shows(new RegExp(`^requests ${all} .* deflected ${deflected} \\(`, 'm'))
}

const shellIsBack = async (terminal: Terminal): Promise<string> => {
  await until('the terminal is restored', () => terminal.isRestored())
  terminal.run('stty -a; echo over')
  const screen = await terminal.shows(/^over$/m)
  assert.match(screen, /^what was before$/m)
  assert.match(screen, / icanon /)
  assert.match(screen, / echo /)
  return screen
}

/** A line that is on the screen before the program begins, and has to be there after it. */
async function writeBefore(terminal: Terminal): Promise<void> {
  terminal.run('clear; echo what was before')
  await terminal.shows(/^what was before$/m)
}

test(
  'top shows a gateway live, through a kill, a restart and two other sizes, and leaves the terminal as it was',
  inShell(async shell => {
    const { url, gateway } = await up(shell, ['--demo', ...FREE])
    for (const prompt of ['what is 2+2?', 'what is 2+2?', 'what is 3+3?']) await ask(url, prompt)
    await until('three are over', async () => (await totals(url)).total_prompts === 3)

    // CI is how many programs know that nobody looks; here somebody does.
    const terminal = startTerminal(80, 24, { SERVICE_DATA_DIR: shell.dataDir, CI: '1' })
    await writeBefore(terminal)
    terminal.run(program())
    await terminal.shows(/● connected/)
    await agrees(terminal, url)
    await terminal.shows(/^l1a +exact-cache .* 33\.3 % /m)
    await terminal.shows(/^demo \* +● healthy /m)
    assert.match(terminal.lines()[23] ?? '', /q quit/)
    await ask(url, 'what is 3+3?')
    await until('the fourth is over', async () => (await totals(url)).total_prompts === 4)
    await agrees(terminal, url)
    await terminal.shows(/^> \d\d:\d\d:\d\d l1a +200 .* aider .* ✓ saved \d+ tok/m)

    terminal.press('Enter')
    await terminal.shows(/^answered by exact-cache \(l1a\) .*without a vendor call$/m)
    await terminal.shows(/^answer +exact-cache +[\d.]+ ms +hit$/m)
    terminal.press('q')
    terminal.resize(200, 50)
    await until('it fills the larger terminal', () => /q quit/.test(terminal.lines()[49] ?? ''))
    await terminal.shows(/^LAYER .* PROVIDER .* cooldown$/m)
    terminal.resize(80, 24)
    await until('it fits the smaller one', () => /q quit/.test(terminal.lines()[23] ?? ''))
    assert.is(terminal.lines().length, 24)

    gateway.child.kill('SIGKILL')
    await gateway.ended
    await terminal.shows(/✗ lost \d+ s ago/)
    assert.match(terminal.lines().join('\n'), /^requests 4 /m, 'the last figures stay')
    const again = await up(shell, ['--demo', '--port', new URL(url).port, '--host', '127.0.0.1'])
    await ask(again.url, 'what is 2+2?')
    await terminal.shows(/● connected/)
    await until('it is over', async () => (await totals(again.url)).total_prompts === 1)
    await agrees(terminal, again.url)

    terminal.press('q')
    await shellIsBack(terminal)
  }),
)

test(
  'a wide terminal shows the key and the cost of each request, and /label finds those of a key',
  inShell(async shell => {
    const keys = [
      { key: 'key-of-carol-01', label: 'carol' },
      { key: 'key-of-dave-012', label: 'dave' },
      { key: 'key-of-ops-0123', label: 'ops', admin: true },
    ]
    const { url } = await up(shell, ['--demo', ...FREE], { SERVICE__GATEWAY_API_KEYS: JSON.stringify(keys) })
    for (const { key, label } of keys.slice(0, 2)) await ask(url, `what is 2+2, ${label}?`, { 'x-api-key': key })
    const terminal = startTerminal(140, 30, {
      SERVICE_DATA_DIR: shell.dataDir,
      SERVICE__GATEWAY_API_KEY: keys[2]?.key ?? '',
    })
    terminal.run(program())
    await terminal.shows(/took +cost key +client/)
    await terminal.shows(/ l3 +200 +\d+ ms +unknown carol +aider/)
    await terminal.shows(/ dave +aider/)
    terminal.run('/carol')
    await until('only hers are left', () => !/ dave /.test(terminal.lines().join('\n')))
    await terminal.shows(/ carol +aider[\s\S]*filter: carol/)
    terminal.press('3')
    await terminal.shows(/\[3 Layers\][\s\S]*l1a +exact-cache/)
    terminal.press('6')
    await terminal.shows(/GATEWAY KEY +spent +share [\s\S]*> carol +unknown +- [\s\S]*\[gateway key\]/)
    terminal.press('q')
    await until('the terminal is restored', () => terminal.isRestored())
  }),
)

test(
  'Ctrl-Z gives the terminal back to the shell, and fg goes on where it was',
  inShell(async shell => {
    const { url } = await up(shell, ['--demo', ...FREE])
    const terminal = startTerminal(80, 24, { SERVICE_DATA_DIR: shell.dataDir })
    await writeBefore(terminal)
    terminal.run(program())
    await terminal.shows(/● connected/)
    terminal.press('2')
    await terminal.shows(/\[2 Requests\]/)
    terminal.press('C-z')
    await terminal.shows(/Stopped/)
    terminal.run('stty -a; echo over')
    const screen = await terminal.shows(/^over$/m)
    assert.match(screen, /^what was before$/m)
    assert.match(screen, / icanon /)
    terminal.resize(100, 30)
    await ask(url, 'what is 2+2?')
    terminal.run('fg')
    await terminal.shows(/\[2 Requests\]/)
    await until('it fills the terminal', () => /q quit/.test(terminal.lines()[29] ?? ''))
    await terminal.shows(/what is|l3 +200/)
    terminal.press('q')
    await until('the terminal is restored', () => terminal.isRestored())
  }),
)

test(
  'a crash and a signal leave the terminal as it was, and the message can be read; without a terminal top refuses',
  inShell(async shell => {
    const refused = shell.run(['top'])
    await up(shell, ['--demo', ...FREE])
    const terminal = startTerminal(120, 40, { SERVICE_DATA_DIR: shell.dataDir })
    await writeBefore(terminal)
    terminal.run(program('--import', crash))
    await terminal.shows(/● connected/)
    terminal.signal('SIGUSR2')
    assert.match(await shellIsBack(terminal), /a crash on purpose/)
    await writeBefore(terminal)
    terminal.run(program())
    await terminal.shows(/● connected/)
    terminal.signal('SIGTERM')
    await shellIsBack(terminal)
    await writeBefore(terminal)
    terminal.run(program())
    await terminal.shows(/● connected/)
    terminal.signal('SIGHUP')
    await shellIsBack(terminal)

    const { code, stderr } = await refused
    assert.is(code, 1)
    assert.match(stderr, 'deflector: top needs a terminal; "deflector stats --json"')
  }),
)

test.run()
