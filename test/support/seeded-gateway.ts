import { ManualClock } from '../contracts/clock.ts'
import { startGateway, type TestGateway } from './gateway.ts'
import { tempFolder } from './opened.ts'
import { startUpstream } from './upstream.ts'

const HOUR_MS = 3_600_000
const DAYS = 7
const TOPICS = [
  'herons',
  'tides',
  'sourdough',
  'glaciers',
  'looms',
  'comets',
  'moss',
  'canals',
  'bees',
  'chess',
] as const
const MODELS = ['gpt-4o', 'gpt-4o-mini'] as const
const TOOLS = ['claude-code/2.1', 'OpenAI/Python 1.60', 'curl/8.5'] as const

/** A gateway that has had a week of traffic: real requests over a clock that was moved, then some of today. */
export async function seededGateway(settings: Readonly<Record<string, string>> = {}): Promise<TestGateway> {
  const upstream = await startUpstream()
  const data = tempFolder('seeded')
  const common = { SERVICE_DATA_DIR: data, SERVICE__ENABLE_REQUEST_LOGS: 'true', ...settings }
  const file = `[[fallback_providers]]
name = "spare"
provider = "openai"
url = "${upstream.url}"
api_key = "sk-spare-0123456789abcdef"
model = "gpt-4o-mini"
`
  const clock = new ManualClock(Date.now() - DAYS * 24 * HOUR_MS)
  const earlier = await startGateway({ upstream, settings: common, file, clock })
  for (let hour = 0; hour < DAYS * 24; hour += 3) {
    await traffic(earlier, hour, settings.SERVICE__GATEWAY_API_KEY)
    await clock.advance(3 * HOUR_MS)
  }
  await earlier.close()
  const now = await startGateway({ upstream, settings: common, file })
  await traffic(now, DAYS * 24, settings.SERVICE__GATEWAY_API_KEY)
  return now
}

/** Some requests of one hour: more by day, and of each question the more the later in the week. */
async function traffic({ post }: TestGateway, hour: number, key = ''): Promise<void> {
  const ofDay = hour % 24
  const requests = 1 + Math.round(4 * Math.sin((Math.PI * ofDay) / 24)) + Math.floor(hour / 48)
  for (let i = 0; i < requests; i++) {
    const topic = TOPICS[(hour * 7 + i * i) % Math.min(TOPICS.length, 3 + i)] ?? TOPICS[0]
    const body = {
      model: MODELS[(hour + i) % MODELS.length],
      messages: [{ role: 'user', content: `What should somebody know of ${topic} today?` }],
    }
    const agent = TOOLS[i % TOOLS.length] ?? ''
    await post('/v1/chat/completions', body, { 'user-agent': agent, 'x-api-key': key })
  }
}
