import { z } from 'zod'
import { artifactFile, labelsIn } from './artifact-file.ts'
import { DEFAULT, HEADS, type HeadName, LOCAL, type Target, targetOf } from './rules.ts'

const label = z.string().min(1).optional()

const rule = z
  .strictObject({
    name: z.string().min(1).optional().describe('How headers, trails and traces call it. Default: its number.'),
    task_type: label.describe('The task that a prompt must ask for.'),
    complexity: label.describe('How complex it must be.'),
    persona: label.describe('Who must be asking.'),
    domain: label.describe('What it must be about.'),
    provider: z.string().min(1).optional().describe('Provider that gets it, or `local`.'),
    model: z.string().min(1).optional().describe('Model to ask for.'),
  })
  .refine(({ provider, model }) => provider !== undefined || model !== undefined, 'needs a provider, a model, or both')

type Report = (path: PropertyKey[], message: string) => void

export const classifierOptions = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Choose provider and model by what a prompt is about.'),
    artifact: z.string().default('').describe('File of the trained classifier; empty takes the starter artifact.'),
    model: z.string().default('embedder').describe('Name of the model that embeds prompts.'),
    confidence_threshold: z.number().min(0).max(1).default(0.55).describe('Least confidence at which a rule counts.'),
    fallback: z
      .boolean()
      .default(true)
      .describe('Without a rule that fits, requests go on as usual; otherwise they are refused with 503.'),
    rules: z
      .array(rule)
      .default([])
      .describe('Routing rules; the first that fits counts, and all come before the matrix.'),
    matrix: z
      .record(z.string(), z.record(z.string(), z.string().min(1)))
      .default({})
      .describe(
        'Complexity, then task type, then target: `provider/model`, `provider` or `local`. `default` is any label.',
      ),
    chain: z.array(z.string()).default([]).describe('Instance names of the providers, as the cloud layer has them.'),
    wait_ms: z
      .number()
      .int()
      .positive()
      .default(250)
      .describe('Milliseconds that a request waits for its vector. After that, it counts as not classified.'),
  })
  .superRefine(({ enabled, artifact, rules, matrix, chain }, context) => {
    if (!enabled) return
    const report: Report = (path, message) => context.addIssue({ code: 'custom', path, message })
    const labels = labelsIn(artifactFile(artifact))
    const checkLabel = (head: HeadName, label: string, path: PropertyKey[], also: readonly string[] = []): void => {
      const known = labels?.[head]
      if (!known || known.includes(label) || also.includes(label)) return
      report(path, `"${label}" is no ${head} of the artifact; it has ${[...known, ...also].join(', ')}`)
    }
    const checkTarget = ({ provider, model }: Target, path: PropertyKey[]): void => {
      if (provider === LOCAL && model !== undefined)
        report(path, `"${LOCAL}" takes no model: nothing leaves the machine`)
      if (model === '') report(path, 'names no model behind the slash')
      if (provider === undefined || provider === LOCAL || chain.includes(provider)) return
      report(path, `"${provider}" is no provider; name one of ${[...chain, LOCAL].join(', ')}`)
    }
    rules.forEach((rule, at) => {
      for (const head of HEADS) {
        const label = rule[head]
        if (label !== undefined) checkLabel(head, label, ['rules', at, head])
      }
      checkTarget(rule, ['rules', at, 'provider'])
    })
    for (const [complexity, row] of Object.entries(matrix)) {
      checkLabel('complexity', complexity, ['matrix', complexity], [DEFAULT])
      for (const [task, target] of Object.entries(row)) {
        checkLabel('task_type', task, ['matrix', complexity, task], [DEFAULT])
        checkTarget(targetOf(target), ['matrix', complexity, task])
      }
    }
  })

export type ClassifierOptions = z.infer<typeof classifierOptions>
