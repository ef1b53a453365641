import { render } from 'ink'
import { App } from './app.tsx'
import { Screen } from './screen.ts'
import type { Source } from './source.ts'
import { Suspension, setRawMode } from './suspension.ts'
import { Watch } from './watch.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Shows the gateway on the whole terminal until the operator quits. However it ends, the terminal is as it was before. */
export async function showTop(source: Source, intervalMs: number): Promise<void> {
  const screen = new Screen(process.stdout)
  const leave = (): void => screen.leave()
  // A crash: its message has to come after the screen is left.
  process.on('uncaughtExceptionMonitor', leave)
  process.on('exit', leave)
  for (const signal of SIGNALS) process.once(signal, () => endBy(signal, screen))
  const suspension = new Suspension(screen)
  const over = new AbortController()
  const watch = new Watch(source, intervalMs)
  screen.enter()
  try {
    // In this mode ink gives whole frames, also where it thinks that nobody looks; the screen paints what changed.
    const stdout = screen as unknown as NodeJS.WriteStream
    const app = render(<App source={source} watch={watch} suspend={suspension.ask} />, {
      stdout,
      debug: true,
      patchConsole: false,
    })
    void watch.run(over.signal)
    await app.waitUntilExit()
  } finally {
    over.abort()
    suspension.end()
    leave()
    process.off('uncaughtExceptionMonitor', leave)
    process.off('exit', leave)
  }
}

/** As the signal would have ended it, once the terminal is in order. */
function endBy(signal: (typeof SIGNALS)[number], screen: Screen): void {
  screen.leave()
  setRawMode(false)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
