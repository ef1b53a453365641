import { CHAT, defineLayer, type Exchange, GatewayError } from 'deflector'
import { classifierWhy } from 'deflector/facets/classifier-why'
import { fault } from 'deflector/facets/fault'
import { health } from 'deflector/facets/health'
import { modelRouting } from 'deflector/facets/model-routing'
import { stepWords } from 'deflector/facets/step-words'
import { traceName } from 'deflector/facets/trace-name'
import { COUNT_TOKENS } from 'deflector/formats/token-count'
import type { Classifier, Unclassified } from './classifier.ts'
import { classifierOptions } from './options.ts'
import { compiledRules, type Rule, routeOf, ruleFor, targetText } from './rules.ts'
import { readStep, routedNote } from './step-words.ts'

/** Why no rule counted, in words for a client. */
const REASONS: Readonly<Record<Unclassified | 'low_confidence' | 'no_rule', string>> = {
  no_artifact: 'there is no artifact that fits the embedder',
  no_text: 'the request has no text to classify',
  no_vector: 'the request could not be classified',
  low_confidence: 'no rule matched: the classification is not sure enough',
  no_rule: 'no rule matched',
}

/** A count of tokens is of the provider that would answer, and a vendor that counts reads the prompt. */
const ROUTED: ReadonlySet<string> = new Set([CHAT, COUNT_TOKENS])

/** Chooses provider and model by what a prompt is about, before any lookup. What the client itself named stands. */
export default defineLayer({
  name: 'classifier',
  label: 'l0_5',
  spans: { receive: 'l0_5_classifier' },
  asks: { model: 'model' },
  summary: 'chooses provider and model by what a prompt is about',
  options: classifierOptions,
  apply(host, options) {
    host.offer(traceName, 'L0_5_Classifier')
    host.offer(stepWords, readStep)
    if (!options.enabled) return host.offer(health, () => 'disabled')
    const { name, hooks, onStart, log } = host
    const embedder = host.model(options.model)
    if (!('embed' in embedder))
      throw new Error(`the model "${options.model}" of a classifier must embed, and it does not`)
    const rules = compiledRules(options.rules, options.matrix)
    const routings = host.offers(modelRouting, 'layer')
    // Numbers of a broken embedder or artifact are not numbers, and nothing is sure.
    const isSure = (confidence: number): boolean => confidence >= options.confidence_threshold
    let classifier: Classifier | undefined
    host.offer(health, () => (classifier?.degraded === false ? 'active' : 'degraded'))
    host.offer(fault, () => classifier?.fault)
    host.offer(classifierWhy, async exchange => {
      const found = await classifier?.classify(exchange)
      if (found === undefined || typeof found === 'string')
        return { because: classifier?.fault ?? REASONS[found ?? 'no_artifact'] }
      const sure = isSure(found.overallConfidence)
      const rule = ruleFor(rules, labelsOf(found.heads))
      return {
        ...found,
        threshold: options.confidence_threshold,
        ...(rule && { rule: rule.name, target: targetText(rule.target) }),
        because: !sure ? REASONS.low_confidence : rule ? 'the rule matches' : REASONS.no_rule,
      }
    })
    onStart(async () => {
      if (rules.length === 0) log.warn('classifier routing is on and has neither rules nor a matrix')
      const loaded = await import('./classifier.ts')
      classifier = new loaded.Classifier(host, embedder, options)
      await classifier.start()
    })

    hooks.receive.tapPromise(name, async exchange => {
      const prompt = await exchange.read()
      if (!prompt || !ROUTED.has(prompt.operation)) return
      if (exchange.route.named) return exchange.note('named')
      const decided = await decide(exchange)
      if (typeof decided !== 'string') return follow(exchange, decided)
      exchange.note(decided)
      exchange.attributes?.set('classifier.outcome', decided)
      if (options.fallback) return
      const closed = `classifier routing is closed: ${REASONS[decided]}`
      if (prompt.operation === COUNT_TOKENS) exchange.route = { localRule: closed }
      // Only a request that may leave the machine is refused; lookups stay on it.
      else if (exchange.kind === 'chat') throw new GatewayError('route_closed', closed)
    })

    async function decide(exchange: Exchange): Promise<Rule | keyof typeof REASONS> {
      if (!classifier) return 'no_artifact'
      const found = await classifier.classify(exchange)
      if (typeof found === 'string') return found
      const { heads, overallConfidence } = found
      for (const [head, { label }] of Object.entries(heads)) exchange.attributes?.set(`classifier.${head}`, label)
      exchange.attributes?.set('classifier.confidence', Number(overallConfidence.toFixed(4)))
      if (!isSure(overallConfidence)) return 'low_confidence'
      return ruleFor(rules, labelsOf(heads)) ?? 'no_rule'
    }

    function follow(exchange: Exchange, rule: Rule): void {
      const routed = (model: string) => [...routings.values()].map(choice => choice(model)).find(Boolean)
      const { provider = options.chain[0], model = exchange.model } = exchange.route
      exchange.route = routeOf(rule, { provider, model }, routed)
      exchange.note(routedNote(rule.name))
      exchange.replyHeaders['x-service-route'] = headerText(`${rule.name}; ${targetText(rule.target)}`)
      exchange.attributes
        ?.set('classifier.outcome', 'routed')
        .set('classifier.rule', rule.name)
        .set('classifier.target', targetText(rule.target))
    }
  },
})

const labelsOf = (heads: Readonly<Record<string, { readonly label: string }>>): Record<string, string> =>
  Object.fromEntries(Object.entries(heads).map(([head, { label }]) => [head, label]))

/** A header holds printable ASCII only. */
const headerText = (text: string): string => text.replace(/[^ -~]/g, '?')
