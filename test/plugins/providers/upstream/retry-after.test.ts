import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { retryAfterMs } from '../../../../plugins/providers/upstream/retry-after.ts'

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0)

const cases: readonly (readonly [title: string, headers: Record<string, string>, ms: number | undefined])[] = [
  ['seconds', { 'retry-after': '7' }, 7000],
  ['parts of a second', { 'retry-after': '0.25' }, 250],
  ['an HTTP date', { 'retry-after': 'Sat, 21 Nov 2026 12:00:30 GMT' }, 30_000],
  ['an HTTP date that is over', { 'retry-after': 'Sat, 21 Nov 2026 11:59:00 GMT' }, 0],
  ['milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  ['a reset in seconds', { 'x-ratelimit-reset': '12' }, 12_000],
  ['a reset at a second since 1970', { 'x-ratelimit-reset': String(NOW / 1000 + 5) }, 5000],
  ['a reset at a millisecond since 1970', { 'x-ratelimit-reset': String(NOW + 5500) }, 5500],
  ['a duration of minutes', { 'x-ratelimit-reset-tokens': '1m30s' }, 90_000],
  ['a duration of milliseconds', { 'x-ratelimit-reset-requests': '6ms' }, 6],
  ['a duration with a fraction', { 'x-ratelimit-reset-requests': '1h0m0.5s' }, 3_600_500],
  [
    'the limit of which nothing remains',
    {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-remaining-tokens': '900',
      'x-ratelimit-reset-tokens': '1m',
    },
    2000,
  ],
  ['the last of several limits', { 'x-ratelimit-reset-requests': '2s', 'x-ratelimit-reset-tokens': '1m' }, 60_000],
  ['an RFC 3339 time', { 'anthropic-ratelimit-tokens-reset': '2026-11-21T12:00:42Z' }, 42_000],
  [
    'the spent one of the messages vendor',
    {
      'anthropic-ratelimit-requests-remaining': '40',
      'anthropic-ratelimit-requests-reset': '2026-11-21T12:05:00Z',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-21T12:00:10Z',
    },
    10_000,
  ],
  [
    'nothing from nonsense',
    { 'retry-after': 'soon', 'x-ratelimit-reset': '-4', 'x-ratelimit-reset-tokens': '1y' },
    undefined,
  ],
  ['nothing from nothing', {}, undefined],
  ['days, which the caller has to cap', { 'retry-after': '259200' }, 259_200_000],
]

for (const [title, headers, ms] of cases) test(`reads ${title}`, () => assert.is(retryAfterMs(headers, NOW), ms))

test.run()
