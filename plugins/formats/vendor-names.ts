/** Vendors that go by several names, each with the others. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  xai: ['grok'],
  gemini: ['google'],
  moonshot: ['kimi'],
  zai: ['z-ai', 'glm'],
  zhipu: ['zhipuai', 'bigmodel'],
  qwen: ['dashscope', 'alibaba'],
  huggingface: ['hf'],
  together: ['togetherai'],
  novita: ['novita-ai'],
  cloudflare: ['workers-ai', 'cloudflare-workers-ai'],
  vercel: ['ai-gateway'],
  github: ['github-models'],
  copilot: ['github-copilot'],
  llamacpp: ['llama-cpp'],
  custom: ['openai-compatible'],
}

const FIRST_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries(OTHER_NAMES).flatMap(([first, others]) => others.map(other => [other, first] as const)),
)

/** Endings that name another endpoint of a vendor, with the same account, not another vendor. */
const ENDPOINT = /-(?:responses|messages|compatible)$/

/** All names of a vendor, the first one first. */
export const namesOf = (vendor: string): readonly [string, ...string[]] => [vendor, ...(OTHER_NAMES[vendor] ?? [])]

/** The first name of the vendor that a name after `use:` stands for: `grok-responses` is `xai`. */
export const vendorOf = (use: string): string => split(use).vendor

/** The vendor, and the ending that names one of its endpoints. */
function split(use: string): { readonly vendor: string; readonly ending: string } {
  const name = use.toLowerCase()
  const known = FIRST_NAMES.get(name)
  if (known !== undefined) return { vendor: known, ending: '' }
  const [ending = ''] = ENDPOINT.exec(name) ?? []
  const vendor = name.slice(0, name.length - ending.length)
  return { vendor: FIRST_NAMES.get(vendor) ?? vendor, ending }
}

/**
 * Which of these names is for a provider: its own, else that of its endpoint, else one of its vendor's. `use` is the name
 * of its vendor as its entry has it.
 */
export function nameFor(instance: string, use: string | undefined, names: readonly string[]): string | undefined {
  if (names.includes(instance)) return instance
  const { vendor, ending } = split(use ?? instance)
  const find = (wanted: string): string | undefined =>
    names.find(name => {
      const given = split(name)
      return given.vendor === vendor && given.ending === wanted
    })
  return find(ending) ?? find('')
}

/** Is `name` for one of these providers? `uses`: by instance, the name of its vendor. */
export const isForOne = (name: string, uses: Readonly<Record<string, string | undefined>>): boolean =>
  Object.entries(uses).some(([instance, use]) => nameFor(instance, use, [name]) !== undefined)
