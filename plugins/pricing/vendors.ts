import { vendorOf } from 'deflector/formats/vendor-names'

/** The vendor of the price list that a name after `use:` stands for. */
export function pricedVendor(name: string): string {
  const vendor = vendorOf(name)
  // Two sites of one company with one price list.
  return vendor === 'zhipu' ? 'zai' : vendor
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
