/** How common clients are told to use this gateway. */
export const CLIENTS = {
  openai: { name: 'OpenAI SDK' },
  anthropic: { name: 'Anthropic SDK' },
  'claude-code': { name: 'Claude Code' },
  codex: { name: 'Codex' },
  curl: { name: 'curl' },
} as const
export type Client = keyof typeof CLIENTS

interface Circumstances {
  /** Of the first provider. */
  readonly model: string | undefined
  /** Does this gateway ask for a key? */
  readonly keyed: boolean
}

/** `origin`: address of the gateway, as the browser has reached it. */
export function snippetOf(client: Client, origin: string, { model = 'gpt-4o-mini', keyed }: Circumstances): string {
  const key = keyed ? 'YOUR_GATEWAY_KEY' : 'unused'
  const header = keyed ? " \\\n  -H 'X-API-Key: YOUR_GATEWAY_KEY'" : ''
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] })
  const snippets: Readonly<Record<Client, string>> = {
    openai: `export OPENAI_BASE_URL=${origin}/v1\nexport OPENAI_API_KEY=${key}`,
    anthropic: `export ANTHROPIC_BASE_URL=${origin}\nexport ANTHROPIC_API_KEY=${key}`,
    'claude-code': `export ANTHROPIC_BASE_URL=${origin}\nexport ANTHROPIC_AUTH_TOKEN=${key}\nclaude`,
    codex: `# ~/.codex/config.toml\nmodel_provider = "deflector"\n\n[model_providers.deflector]\nname = "deflector"\nbase_url = "${origin}/v1"\nwire_api = "responses"${keyed ? '\nenv_key = "DEFLECTOR_KEY"' : ''}`,
    curl: `curl ${origin}/v1/chat/completions \\\n  -H 'content-type: application/json'${header} \\\n  -d '${body}'`,
  }
  return snippets[client]
}
