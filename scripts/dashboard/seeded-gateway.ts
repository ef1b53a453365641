import { ManualClock } from '../../test/contracts/clock.ts'
import { startGateway, type TestGateway } from '../../test/support/gateway.ts'
import { tempFolder } from '../../test/support/opened.ts'
import { startUpstream } from '../../test/support/upstream.ts'

const HOUR_MS = 3_600_000
const DAYS = 7
/** Hours between two bursts of traffic. */
const PAUSE = 3
const MODELS = ['gpt-4o', 'gpt-4o-mini'] as const
const TOOLS = ['claude-code/2.1', 'OpenAI/Python 1.60', 'curl/8.5'] as const
/** Questions in two wordings each: the semantic cache knows the second one by the first. */
const QUESTIONS = [
  ['How do I reset my password?', 'How can I reset my password?'],
  ['How do I cancel my subscription?', 'How can I cancel my subscription?'],
  ['How do I export my data as CSV?', 'How can I export my data as CSV?'],
  ['How do I invite a colleague?', 'How can I invite a colleague?'],
  ['How do I change my billing address?', 'How can I change my billing address?'],
  ['How do I delete an old project?', 'How can I delete an old project?'],
] as const

/** A gateway that has had a week of traffic: real requests over a clock that was moved, then some of today. */
export async function seededGateway(): Promise<TestGateway> {
  const upstream = await startUpstream()
  const common = {
    SERVICE_DATA_DIR: tempFolder('seeded'),
    SERVICE__CACHE_MODE: 'both',
    SERVICE__CACHE_TTL_SECS: String(2 * 24 * 3600),
    SERVICE__ENABLE_REQUEST_LOGS: 'true',
    SERVICE__QUOTA__OPENAI__DAILY_TOKEN_LIMIT: '2000000',
  }
  const file = `[[fallback_providers]]
name = "spare"
provider = "openai"
url = "${upstream.url}"
api_key = "sk-spare-0123456789abcdef"
model = "gpt-4o-mini"
`
  const clock = new ManualClock(Date.now() - DAYS * 24 * HOUR_MS)
  const earlier = await startGateway({ upstream, settings: common, file, clock })
  for (let hour = 0; hour < DAYS * 24; hour += PAUSE) {
    await traffic(earlier, hour)
    await clock.advance(PAUSE * HOUR_MS)
  }
  await earlier.close()
  const now = await startGateway({ upstream, settings: common, file })
  for (const hour of [0, PAUSE]) await traffic(now, DAYS * 24 + hour)
  return now
}

/** Some requests of one hour: more by day, and from day to day. One of them is new. */
export async function traffic({ send }: TestGateway, hour: number): Promise<void> {
  const requests = 3 + Math.round(5 * Math.sin((Math.PI * (hour % 24)) / 24)) + Math.floor(hour / 36)
  for (let i = 0; i < requests; i++) {
    const wordings = QUESTIONS[(hour + i * i) % QUESTIONS.length] ?? QUESTIONS[0]
    const text = i % 3 === 0 ? `Summarise the report of hour ${hour}, part ${i}.` : wordings[i % 2]
    const body = {
      model: MODELS[(hour + i) % MODELS.length],
      messages: [{ role: 'user', content: text }],
      ...(i % 2 === 0 && { stream: true }),
    }
    const headers = { 'user-agent': TOOLS[i % TOOLS.length] ?? '' }
    await send('/v1/chat/completions', JSON.stringify(body), headers)
  }
}
