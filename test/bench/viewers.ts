// Those who look at the Overview of the dashboard, in a process of their own: `viewers.ts PORT`. The message `n` makes them so many.
import { Agent, get } from 'node:http'

const port = Number(process.argv[2])

/** What the tab asks for, and how often in milliseconds: the calls of `useAnswer` in `ui-web/src/tabs/overview`. */
const ASKED: readonly (readonly [path: string, every: number])[] = [
  ['/health', 10_000],
  ['/api/admin/usage/timeline?hours=168&by=layer&step=24', 10_000],
  ['/api/admin/usage/breakdown?hours=168', 10_000],
  ['/api/admin/process', 3_000],
  ['/api/admin/usage?hours=168', 5_000],
  ['/api/admin/usage?hours=8760', 30_000],
  ['/api/admin/overview', 10_000],
  ['/api/admin/cache', 10_000],
]

/** Asks as the page does, and follows the live stream; the function given back ends it. */
function view(): () => void {
  const agent = new Agent({ keepAlive: true })
  const ask = (path: string): void => {
    get({ port, host: '127.0.0.1', path, agent }, reply => {
      if (reply.statusCode !== 200) throw new Error(`${path} answers ${reply.statusCode}`)
      reply.resume()
    }).on('error', () => {})
  }
  const timers = ASKED.map(([path, every]) => {
    ask(path)
    return setInterval(ask, every, path)
  })
  const live = get({ port, host: '127.0.0.1', path: '/api/admin/live', agent: false }, reply => reply.resume())
  live.on('error', () => {})
  return () => {
    for (const timer of timers) clearInterval(timer)
    live.destroy()
    agent.destroy()
  }
}

const viewers: (() => void)[] = []
process.on('message', wanted => {
  while (viewers.length > Number(wanted)) viewers.pop()?.()
  while (viewers.length < Number(wanted)) viewers.push(view())
  process.send?.('done')
})
