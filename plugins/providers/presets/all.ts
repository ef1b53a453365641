import type { WebSearchOption } from '../upstream/hosted-tools.ts'
import { HOSTS } from './hosts.ts'
import { LOCAL } from './local.ts'
import { OPENAI } from './openai-models.ts'
import { type Alias, aliasesOf, COMPATIBLE, EVERY_SETTING, named } from './preset.ts'
import { VENDORS } from './vendors.ts'

/** The first models knew another tool. The third generation takes a search beside functions, and `latest` means it. */
const GEMINI_SEARCH = {
  models: 'gemini-(?!1[.-])',
  beside_functions: 'gemini-(?:[3-9]|\\d\\d|(?:pro|flash|flash-lite)-latest)',
} as const satisfies WebSearchOption

const SUBSCRIPTION = { model: 'gpt-5-mini', key_required: true, quirks: OPENAI }
/** One vendor, asked in the format that a model knows. */
const COPILOT: readonly [string, Alias][] = [
  ...named('copilot', { use: 'subscription', options: SUBSCRIPTION }),
  ...(['messages', 'responses'] as const).flatMap(wire =>
    named('copilot', { use: 'subscription', options: { ...SUBSCRIPTION, wire } }, `-${wire}`),
  ),
]

/** Those with a plugin of their own. */
const OTHERS: readonly [string, Alias][] = [
  ...named('azure', { use: 'deployment', options: { key_required: true, quirks: OPENAI } }),
  ...named('azure', { use: 'deployment', options: { key_required: true, wire: 'responses' } }, '-responses'),
  ...COPILOT,
  ...named('anthropic', {
    use: 'messages',
    options: {
      url: 'https://api.anthropic.com',
      model: 'claude-haiku-4-5',
      key_required: true,
      web_search: { settings: EVERY_SETTING },
    },
  }),
  ...named('gemini', {
    use: 'generate-content',
    options: {
      url: 'https://generativelanguage.googleapis.com',
      model: 'gemini-3.1-flash-lite',
      key_required: true,
      web_search: GEMINI_SEARCH,
    },
  }),
]

const VERTEX = 'https://{location}-aiplatform.googleapis.com/v1/projects/{project}/locations/{location}'
const BEDROCK = {
  url: 'https://bedrock-runtime.{region}.amazonaws.com/openai/v1',
  model: 'openai.gpt-oss-20b-1:0',
  key_required: true,
}
/** Clouds: other credentials, and a URL that only the operator knows. */
const CLOUD: readonly [string, Alias][] = [
  ...named('vertex', {
    use: 'generate-content',
    options: {
      url: `${VERTEX}/publishers/google`,
      model: 'gemini-3.1-flash-lite',
      key_required: true,
      auth: 'service-account',
      call_ids: false,
      drop_params: ['serviceTier', 'service_tier'],
      // This host does not have the switch by which the newest models take both.
      web_search: { ...GEMINI_SEARCH, beside_functions: false, settings: ['blocked_domains'] },
    },
  }),
  ...named('bedrock', { use: 'signed', options: { ...BEDROCK, quirks: COMPATIBLE } }),
  ...named('bedrock', { use: 'signed', options: { ...BEDROCK, wire: 'responses' } }, '-responses'),
  ...named(
    'bedrock',
    {
      use: 'signed',
      options: {
        url: 'https://bedrock-mantle.{region}.api.aws/anthropic',
        model: 'anthropic.claude-haiku-4-5',
        key_required: true,
        wire: 'messages',
      },
    },
    '-messages',
  ),
]

/** Every name, and what it stands for. */
export const ALIASES: readonly [string, Alias][] = [
  ...[...VENDORS, ...HOSTS, ...LOCAL].flatMap(aliasesOf),
  ...OTHERS,
  ...CLOUD,
]
