import { type Exchange, Memo } from 'deflector'
import { agentOf } from './agents/run-facts.ts'
import { remember } from './remember.ts'

/** Who sent a request, in a few words that are the same for all of its kind: for statistics, books and metrics. */

/** Clients known by their user agent. Of two that fit the first counts; the table has no other value than these. */
const TOOLS: readonly (readonly [tool: string, userAgent: RegExp])[] = [
  // A fork that calls through another's library names itself first.
  ['qwen-code', /\bqwen-?code\b/i],
  ['roo-code', /\broo-?code\b/i],
  ['kilo', /\bkilo(?:-?code)?\b/i],
  ['cline', /\bcline\b/i],
  ['openclaw', /\bopenclaw\b/i],
  ['opencode', /\bopencode\b/i],
  ['claude-code', /\bclaude-(?:code|cli)\b/i],
  ['copilot', /copilot/i],
  ['cursor', /\bcursor\b/i],
  ['codex', /(?<![a-z])codex(?![a-z])/i],
  ['gemini-cli', /\bgemini-?cli\b/i],
  ['windsurf', /\b(?:windsurf|codeium)\b/i],
  ['zed', /\bzed\b/i],
  ['aider', /\baider\b/i],
  ['continue', /\bcontinue(?:-?dev)?\//i],
  ['curl', /^curl\//i],
  ['httpie', /^httpie\//i],
]

/** Editors that speak chat completions, known by any of these headers whatever their user agent is. */
const EDITORS: Readonly<Record<string, readonly string[]>> = {
  cursor: ['x-cursor-checksum', 'x-cursor-client-version', 'x-ghost-mode'],
  kiro: ['x-kiro-version', 'x-kiro-client-id'],
}
const EDITOR_DIALECT = 'chat-completions'

/** Whose form a dialect is. */
const FAMILIES: Readonly<Record<string, string>> = {
  native: 'native',
  'chat-completions': 'openai',
  responses: 'openai',
  embeddings: 'openai',
  messages: 'anthropic',
  'generate-content': 'gemini',
}

const UNKNOWN = 'unknown'
/** A program that calls for itself. */
const DIRECT = 'direct'
const OTHER = 'other'
/** A tool of these names is no client of its own: somebody's script uses it. */
const SCRIPTED: ReadonlySet<string> = new Set(['curl', 'httpie', UNKNOWN])
/** Longer user agents are cut: the sender chooses them. */
const LONGEST = 512

/** Every value that the fields of a `ClientIdentity` can have. */
export const IDENTITIES = {
  tool: [...TOOLS.map(([tool]) => tool), UNKNOWN],
  client: [...new Set([...Object.keys(EDITORS), ...TOOLS.map(([tool]) => tool), DIRECT, OTHER])].filter(
    client => !SCRIPTED.has(client),
  ),
  endpointFamily: [...new Set(Object.values(FAMILIES)), OTHER],
  trafficSurface: ['gateway', 'proxy'],
} as const satisfies Record<keyof ClientIdentity, readonly string[]>

/** Who sent a request. Each field has one of the few values of `IDENTITIES`. */
export interface ClientIdentity {
  /** From the user agent: `claude-code`, `curl`, ..., else `unknown`. */
  readonly tool: string
  /**
   * The application: the editor that chat-completions headers give away, else the client that the proxy was started for
   * (`other` where that is none of the table), else the tool, else `direct`.
   */
  readonly client: string
  /** `native`, `openai`, `anthropic`, `gemini` or `other`. */
  readonly endpointFamily: string
  /** `proxy` for a call that was meant for a vendor, and that a proxy took; else `gateway`. */
  readonly trafficSurface: string
}

const identities = new Memo<ClientIdentity>()

/** Who sent this request; worked out once for each. */
export function clientIdentity(exchange: Exchange): ClientIdentity {
  const known = identities.of(exchange)
  if (known) return known
  const { headers, dialect, call } = exchange
  // Some agents call through a vendor's library, and only other headers give them away.
  const tool = agentOf(headers)?.name ?? toolOf((headers['user-agent'] ?? '').slice(0, LONGEST))
  const identity = {
    tool,
    client: editorOf(exchange) ?? proxiedClient(call?.proxied) ?? (SCRIPTED.has(tool) ? DIRECT : tool),
    endpointFamily: FAMILIES[dialect ?? ''] ?? OTHER,
    trafficSurface: call?.proxied === undefined ? 'gateway' : 'proxy',
  }
  // Before the body is read, a call that names no dialect has none yet.
  if (dialect !== undefined) identities.set(exchange, identity)
  return identity
}

const toolOf = remember(userAgent => TOOLS.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? UNKNOWN)

function editorOf({ headers, dialect }: Exchange): string | undefined {
  if (dialect !== EDITOR_DIALECT) return undefined
  for (const editor in EDITORS) if (EDITORS[editor]?.some(name => headers[name] !== undefined)) return editor
  return undefined
}

/** The operator names it, so it is one of the table or `other`. */
const proxiedClient = (client: string | undefined): string | undefined =>
  client === undefined ? undefined : IDENTITIES.client.includes(client) ? client : OTHER
