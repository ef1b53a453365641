import { type Call, defineSurface } from 'deflector'
import { liveRequests } from 'deflector/facets/live-requests'
import { native } from 'deflector/formats/native'
import { z } from 'zod'
import { Viewer } from './viewer.ts'

/** The next one takes the place of the one that has watched longest. */
const MOST_VIEWERS = 16
const KEEP_ALIVE = ': keep-alive\n\n'

export default defineSurface({
  name: 'live-requests',
  needsFlow: true,
  summary: 'GET /api/admin/live: requests as they end, as server-sent events',
  options: z.strictObject({}),
  apply(host) {
    const offered = host.offers(liveRequests)
    /** Each with what makes it stop. */
    const viewers = new Set<() => void>()
    host.onDispose(() => {
      // Its client asks again, and is then told by the generation that serves.
      for (const stop of viewers) stop()
    })
    // It returns at once: a stream that is watched for hours keeps no reload waiting.
    const view = (call: Call): void => {
      const viewer = new Viewer(call.open({ 'content-type': 'text/event-stream; charset=utf-8' }, KEEP_ALIVE))
      const unwatch = [...offered.values()].map(live => live.watch(request => viewer.show(request)))
      const stop = (): void => {
        viewers.delete(stop)
        for (const end of unwatch) end()
        viewer.end()
      }
      viewers.add(stop)
      const [oldest] = viewers
      if (viewers.size > MOST_VIEWERS) oldest?.()
      call.signal.addEventListener('abort', stop, { once: true })
      if (call.signal.aborted) stop()
    }
    host.route('GET', '/api/admin/live', view, { format: native, admin: true })
  },
})
