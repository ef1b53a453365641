import { z } from 'zod'
import { MODES } from './tiers.ts'

export const slmOptions = z.strictObject({
  enabled: z
    .boolean()
    .default(false)
    .describe('Answer simple requests with a small model. When off, nothing is loaded.'),
  writer: z.string().optional().describe('Model that writes the answers.'),
  classifier: z
    .enum(['model', 'heads'])
    .default('model')
    .describe('What tells simple requests from others: a model that is asked, or a trained file.'),
  intent_model: z.string().optional().describe('Model that classifies; only for `model`. Default: `writer`.'),
  embedder: z.string().optional().describe('Model that embeds the request; only for `heads`.'),
  heads_path: z.string().default('').describe('File of the trained classifier. Empty: the one of the package.'),
  mode: z
    .enum(MODES)
    .default('tiered')
    .describe('Labels: `tiered` has TEMPLATE, SNIPPET and COMPLEX, `binary` has SIMPLE and COMPLEX.'),
  confidence_threshold: z
    .number()
    .min(0)
    .max(1)
    .default(0.9)
    .describe(
      'Least probability, by a trained classifier, that a request is not COMPLEX; below it, it counts as COMPLEX.',
    ),
  timeout_secs: z.number().positive().default(30).describe('Seconds that classification and answer may take together.'),
  max_answer_tokens: z.int().positive().default(2048).describe('Longest answer, in tokens.'),
  max_prompt_chars: z
    .int()
    .positive()
    .default(16_000)
    .describe('Longest conversation, in characters; longer ones go on to the next layer.'),
  max_waiting: z
    .int()
    .positive()
    .default(4)
    .describe('Most requests that may wait for the small model at once; others go on to the next layer.'),
  answer_ttl_secs: z
    .number()
    .nonnegative()
    .default(60)
    .describe('Seconds that caches may serve an answer of the small model; 0 keeps none.'),
})

export type SlmOptions = z.output<typeof slmOptions>
