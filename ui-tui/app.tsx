import { Box, useApp, useInput, useStdin, useStdout } from 'ink'
import { type ReactNode, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { Footer, Header } from './frame.tsx'
import type { Picture } from './picture.ts'
import type { Source } from './source.ts'
import { type Story as RequestStory, story, storyLines } from './story.ts'
import { Body, HelpBody, rowsOf, type Shown, Story } from './tabs.tsx'
import { useUsage } from './use-usage.ts'
import { type Key, keyOf, pressed, START, type View } from './view.ts'
import type { Watch } from './watch.ts'

const HEADER = 2
const FOOTER = 1

interface AppProps {
  readonly source: Source
  readonly watch: Watch
  /** Gives the terminal back to the shell for a while. */
  suspend(): void
}

/** The screen of `deflector top`. */
export function App({ source, watch, suspend }: AppProps): ReactNode {
  const picture = useSyncExternalStore(watch.subscribe, () => watch.picture)
  const { columns, rows } = useSize()
  const [view, setView] = useState<View>(START)
  // The next key may come before the screen has followed this one.
  const latest = useRef(view)
  const { exit } = useApp()
  const { isRawModeSupported } = useStdin()
  const lines = useStory(source, view.story?.id, columns)
  const height = Math.max(1, rows - HEADER - FOOTER)
  const now = useNow(picture.connection.state === 'lost' || isCooling(picture))
  const usage = useUsage(source, view.tab === 'Usage' ? view.usageBy : undefined)
  const shown: Shown = { picture, view, usage, width: columns, height, now }
  const lastTop = Math.max(0, lines.length - height)

  useInput(
    (input, key) => {
      if (key.ctrl && input === 'z') return suspend()
      // What is pasted, or typed fast, comes at once.
      const keys: Key[] = [...input].length > 1 ? [...input].map(keyOf) : [{ ...key, input }]
      for (const each of keys) {
        const next = pressed(latest.current, each, rowsOf({ ...shown, view: latest.current }, lastTop))
        if (next === 'quit') return exit()
        latest.current = next
      }
      setView(latest.current)
    },
    { isActive: isRawModeSupported === true },
  )

  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      <Header address={source.address()} picture={picture} view={view} now={now} />
      <Box flexDirection="column" height={height} overflow="hidden">
        {view.help ? (
          <HelpBody height={height} />
        ) : view.story ? (
          <Story lines={lines} top={Math.min(view.story.top, lastTop)} height={height} />
        ) : (
          <Body {...shown} />
        )}
      </Box>
      <Footer view={view} missed={picture.missed} />
    </Box>
  )
}

/** Of the terminal; half of one that was made smaller is no matter, as it tells of its next size at once. */
function useSize(): { readonly columns: number; readonly rows: number } {
  const { stdout } = useStdout()
  const read = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const [size, setSize] = useState(read)
  useEffect(() => {
    const resized = (): void => setSize({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
    stdout.on('resize', resized)
    return () => void stdout.off('resize', resized)
  }, [stdout])
  return size
}

const isCooling = ({ providers }: Picture): boolean =>
  providers.some(({ keys }) => keys.some(({ cooldown_until }) => cooldown_until !== null))

/** The time, which goes on only where something on the screen counts it. */
function useNow(counts: boolean): number {
  const [, tick] = useState(0)
  useEffect(() => {
    if (!counts) return
    const timer = setInterval(() => tick(at => at + 1), 1000)
    return () => clearInterval(timer)
  }, [counts])
  return Date.now()
}

/** The lines of a request's story, as soon as the gateway has told it. */
function useStory(source: Source, id: string | undefined, columns: number): readonly string[] {
  const [found, setFound] = useState<{ readonly id: string; readonly told: RequestStory | string }>()
  useEffect(() => {
    if (id === undefined) return
    let left = false
    const question = { path: `/api/admin/requests/${encodeURIComponent(id)}`, surface: 'requests' }
    source
      .ask(story, question)
      .catch((error: unknown) => (error instanceof Error ? error.message : String(error)))
      .then(told => {
        if (!left) setFound({ id, told })
      })
    return () => {
      left = true
    }
  }, [source, id])
  return useMemo(() => {
    if (id === undefined) return []
    if (found?.id !== id) return [`request ${id}`, 'asking the gateway …']
    return typeof found.told === 'string' ? [`request ${id}`, found.told] : storyLines(found.told, columns)
  }, [found, id, columns])
}
