/** Vendors of the price list under other names. */
const NAMES: Readonly<Record<string, string>> = {
  grok: 'xai',
  google: 'gemini',
  kimi: 'moonshot',
  'z-ai': 'zai',
  glm: 'zai',
  // Two sites of one company with one price list.
  zhipu: 'zai',
  zhipuai: 'zai',
  bigmodel: 'zai',
  dashscope: 'qwen',
  alibaba: 'qwen',
  hf: 'huggingface',
  togetherai: 'together',
  'novita-ai': 'novita',
  'workers-ai': 'cloudflare',
  'cloudflare-workers-ai': 'cloudflare',
  'ai-gateway': 'vercel',
  'github-models': 'github',
  'github-copilot': 'copilot',
  'llama-cpp': 'llamacpp',
}

/** Endings that name a wire of a vendor, not another vendor. */
const WIRE = /-(?:responses|messages|compatible)$/

/** The vendor that a name after `use:` stands for in the price list: `grok-responses` is `xai`. */
export function pricedVendor(name: string): string {
  const vendor = name.toLowerCase().replace(WIRE, '')
  return NAMES[vendor] ?? vendor
}

/** Those whose list is another's, by way of the model's own name. */
export const LISTED_AS: Readonly<Record<string, string>> = { vercel: 'openrouter' }

/** Those who make the models they sell. Where a reseller has no row, theirs is the nearest known price. */
export const MAKERS: readonly string[] = [
  'openai',
  'anthropic',
  'gemini',
  'xai',
  'mistral',
  'deepseek',
  'cohere',
  'moonshot',
  'zai',
  'minimax',
  'qwen',
  'perplexity',
  'upstage',
  'stepfun',
]

/** Hosts of open models set prices of their own, so the price of the model's maker says nothing about theirs. */
export const HOSTS: ReadonlySet<string> = new Set([
  'novita',
  'together',
  'fireworks',
  'nebius',
  'siliconflow',
  'groq',
  'cerebras',
  'nvidia',
  'chutes',
  'galadriel',
  'hyperbolic',
  'huggingface',
  'mira',
  'sambanova',
  'deepinfra',
  'cloudflare',
  'baseten',
  'friendli',
  'scaleway',
  'inference',
])
