import { z } from 'zod'
import {
  choice,
  flag,
  map,
  names,
  nullableText,
  optionalText,
  pattern,
  type Row,
  ratio,
  records,
  redisUrl,
  text,
  url,
  wholeNumber,
} from './row.ts'

const VENDOR = /^[a-z0-9][a-z0-9-]*$/
const vendorName = z.string().regex(VENDOR, 'must be a provider name in lower case, such as openai')

const KEY_ROTATION = ['round_robin', 'priority'] as const

/** One key of a pool. Lower `priority` is preferred, under the `priority` strategy. */
const providerKey = z.strictObject({
  key: z.string().min(1),
  priority: z.int().optional(),
  label: z.string().min(1).optional(),
})

/** A limit of one provider, in place of that of all. */
const seconds = z.number().positive().optional()

/** One fallback provider. Without `model` it answers with its vendor's default model, without `name` under its vendor's. */
export const providerEntry = z.strictObject({
  provider: vendorName,
  name: z.string().regex(VENDOR, 'must be a name in lower case, such as groq-eu').optional(),
  model: z.string().optional(),
  api_key: z.string().optional(),
  url: z.string().optional(),
  provider_keys: z.array(providerKey).optional(),
  key_rotation_strategy: z.enum(KEY_ROTATION).optional(),
  azure_deployment_id: z.string().optional(),
  azure_api_version: z.string().optional(),
  region: z
    .string()
    .regex(/^[a-z\d-]+$/, 'must be a region, such as eu-west-1')
    .optional(),
  connect_secs: seconds,
  first_event_secs: seconds,
  whole_answer_secs: seconds,
  stream_idle_secs: seconds,
  larger_context: z.boolean().optional(),
  weight: z.number().nonnegative().optional(),
})

/** Of further keys only those with `admin` may administer the gateway; `gateway_api_key` always may. */
/** A table cannot have this name, so no limits would be found for it. */
const holder = z
  .string()
  .min(1)
  .refine(label => label !== '__proto__', 'is no label; choose another one')
const gatewayKey = z.strictObject({ key: z.string().min(1), label: holder, admin: z.boolean().optional() })

const routingRule = z
  .strictObject({
    name: z.string().optional(),
    task_type: z.string().optional(),
    complexity: z.string().optional(),
    persona: z.string().optional(),
    domain: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
  })
  .refine(rule => rule.provider !== undefined || rule.model !== undefined, 'needs a provider, a model, or both')

const limit = z.int().min(0).optional()
const cost = z.number().min(0).optional()
const quotaPolicy = z.strictObject({
  daily_token_limit: limit,
  weekly_token_limit: limit,
  monthly_token_limit: limit,
  daily_cost_limit_usd: cost,
  weekly_cost_limit_usd: cost,
  monthly_cost_limit_usd: cost,
  warning_threshold_ratio: z.number().min(0).max(1).default(0.8),
  action_on_limit: z.enum(['warn', 'block', 'fallback']).optional(),
})

/** Limits of one gateway key. */
const keyLimits = z.strictObject({ requests_per_minute: limit, tokens_per_minute: limit, daily_cost_limit_usd: cost })

const price = z.strictObject({
  input_cost_per_million_usd: cost,
  output_cost_per_million_usd: cost,
  cache_read_cost_per_million_usd: cost,
  cache_write_cost_per_million_usd: cost,
})

/** Every setting: its dotted key, and how it is written, checked and explained. */
export const SETTINGS = {
  // Listener
  'server.host': text('0.0.0.0', 'Address to listen on.', { env: 'HOST' }),
  'server.port': wholeNumber(8080, [0, 65535], 'Port to listen on; 0 takes a free one.', { env: 'PORT' }),
  max_body_bytes: wholeNumber(33_554_432, [1], 'Largest request body, in bytes.'),
  pipeline: optionalText('Pipeline file; the flag --pipeline overrides it.'),
  drain_secs: wholeNumber(
    10,
    [0, 2_000_000],
    'How long running requests, including streams, may take at shutdown, in seconds.',
  ),

  // Admission
  gateway_api_key: text('', 'Key that clients must send; empty turns authentication off.', {
    env: 'GATEWAY_API_KEY',
    secret: true,
    file: true,
  }),
  gateway_api_keys: records(
    gatewayKey,
    'Further gateway keys, each with the label of its holder; with admin = true it may administer the gateway.',
    { secret: true, file: true },
  ),
  forward_client_credentials: flag(
    false,
    "Send a client's own credential to the vendor that gave it out, in place of a configured one; answers are then shared by credential.",
  ),
  cors_origins: names(
    [],
    'Origins whose web pages may use the gateway, such as https://app.example.com; * is every page.',
  ),
  allowed_hosts: names(
    [],
    'Host names that are served while no gateway key is set, besides addresses and names of private networks.',
  ),
  session_headers: names(
    ['x-service-session-id', 'x-thread-id', 'x-session-id', 'x-conversation-id'],
    'Request headers that may carry a session id; the first one present counts.',
  ),

  // Caches
  'exact_cache.provider': choice(['memory', 'redis'], 'memory', 'Where exact answers are kept.', {
    env: 'CACHE_BACKEND',
  }),
  'exact_cache.redis_url': redisUrl('Redis server of the exact cache.', {
    env: 'REDIS_URL',
    secret: true,
    file: true,
  }),
  'exact_cache.redis_db': wholeNumber(0, [0], 'Redis database number.', { env: 'REDIS_DB' }),
  cache_mode: choice(['exact', 'semantic', 'both'], 'both', 'Which caches may answer.', { env: 'CACHE_MODE' }),
  cache_scope: choice(
    ['auto', 'key', 'global'],
    'auto',
    'Which requests share entries; auto separates them by key once there are several keys.',
  ),
  cache_ttl_secs: wholeNumber(
    300,
    [1],
    'How long an answer is fresh, in seconds; a change counts for answers stored from then on.',
    { env: 'CACHE_TTL_SECS' },
  ),
  cache_stale_secs: wholeNumber(
    86_400,
    [0],
    'How long after that an answer may still be served when the cloud fails, in seconds; a change counts as one of cache_ttl_secs.',
  ),
  cache_max_ttl_secs: wholeNumber(
    86_400,
    [1],
    'Longest time to live that a request may set for its answer, in seconds.',
  ),
  cache_max_capacity: wholeNumber(10_000, [1], 'Entries in each in-memory cache.', { env: 'CACHE_MAX_CAPACITY' }),
  cache_max_bytes: wholeNumber(268_435_456, [1], 'Bytes in each in-memory cache.'),
  responses_store: flag(
    true,
    'Let vendors keep what they answer at /v1/responses, unless a client says otherwise; false tells them to keep nothing.',
  ),
  cache_normalize_agents: flag(
    false,
    'Leave what known coding agents write anew with each run out of cache keys: clocks, ids, session headers.',
  ),
  similarity_threshold: ratio(0.85, 'Least cosine similarity of a semantic hit.', { env: 'SIMILARITY_THRESHOLD' }),
  semantic_shadow_rate: ratio(
    0,
    'Share of semantic hits that are sent to the provider anyway, to compare the answers; the new answer is served.',
  ),
  semantic_max_false_requests: ratio(
    0.003,
    'Share of requests that may get a semantic answer to another question; a smaller one means fewer hits.',
    { most: 0.01 }, // the largest share that the built-in model was measured for
  ),
  semantic_wait_ms: wholeNumber(30, [1], 'How long a request waits for a semantic lookup, in milliseconds.'),
  semantic_max_error: ratio(0.005, 'Share of wrong semantic hits above which the cache becomes stricter.'),

  // Embedders
  'semantic_cache.provider': choice(
    ['candle', 'tei', 'sidecar'],
    'candle',
    'What embeds prompts: a local model, a TEI server, or the sidecar.',
    {
      env: 'SEMANTIC_BACKEND',
    },
  ),
  'semantic_cache.remote_url': url(undefined, 'Address of the TEI server.', { env: 'TEI_URL' }),
  'semantic_cache.store': choice(
    ['memory', 'redis'],
    'memory',
    'Where semantic entries are kept; in redis (at exact_cache.redis_url) gateways share them.',
  ),
  embedding_model: text('static', 'Sentence model; static is the built-in one. A change empties the semantic cache.', {
    env: 'EMBEDDING_MODEL',
  }),
  'embedding_sidecar.sidecar_url': url('http://127.0.0.1:8082', 'Address of the embedding sidecar.', {
    env: 'EMBEDDING_SIDECAR__SIDECAR_URL',
  }),
  'embedding_sidecar.model_name': text('all-minilm', 'Model of the embedding sidecar.', {
    env: 'EMBEDDING_SIDECAR__MODEL_NAME',
  }),
  'embedding_sidecar.timeout_seconds': wholeNumber(10, [1], 'Time limit of the embedding sidecar, in seconds.', {
    env: 'EMBEDDING_SIDECAR__TIMEOUT_SECONDS',
  }),

  // Local small model
  enable_slm_router: flag(false, 'Let a local small model answer simple prompts.'),
  'slm_router.provider': choice(
    ['embedded', 'vllm'],
    'embedded',
    'Where the small model runs: vllm asks slm_router.remote_url; embedded runs slm_router.model_path, or asks servers beside the gateway.',
    { env: 'ROUTER_BACKEND' },
  ),
  'slm_router.remote_url': url(undefined, 'Address of the vLLM server.', { env: 'VLLM_URL' }),
  'slm_router.model': text('gemma-2-2b-it', 'Model asked of vLLM.', { env: 'VLLM_MODEL' }),
  'slm_router.model_path': optionalText('Folder or hub id of a small model that runs beside the gateway.', {
    env: 'MODEL_PATH',
  }),
  'slm_router.api_key': optionalText('Bearer token of the servers that run small models.', {
    secret: true,
    file: true,
  }),
  'slm_router.classifier': choice(
    ['model', 'heads'],
    'model',
    'What tells simple prompts from others: a small model that is asked, or a trained file that needs no server.',
  ),
  'slm_router.heads_path': text('', 'File of the trained classifier; empty is the one of the package.'),
  'slm_router.confidence_threshold': ratio(
    0.9,
    'Least probability, by the trained classifier, that a prompt is not COMPLEX; below it, the cloud answers.',
  ),
  'slm_router.classifier_mode': choice(
    ['tiered', 'binary'],
    'tiered',
    'Labels of the classifier: TEMPLATE, SNIPPET and COMPLEX, or SIMPLE and COMPLEX.',
    { env: 'LAYER2__CLASSIFIER_MODE' },
  ),
  'slm_router.max_answer_tokens': wholeNumber(2048, [1], 'Longest local answer, in tokens.', {
    env: 'LAYER2__MAX_ANSWER_TOKENS',
  }),
  'slm_router.max_prompt_chars': wholeNumber(
    16_000,
    [1],
    'Longest conversation that is answered locally, in characters.',
  ),
  'slm_router.max_waiting': wholeNumber(
    4,
    [1],
    'Most requests that wait for the small model at once; others go to the cloud.',
  ),
  'slm_router.answer_ttl_secs': wholeNumber(60, [0], 'Seconds that caches serve a local answer; 0 keeps none.'),
  'layer2.sidecar_url': url(
    'http://127.0.0.1:8081',
    'Server that writes local answers: Ollama, or any with POST /v1/chat/completions.',
    { env: 'LAYER2__SIDECAR_URL' },
  ),
  'layer2.model_name': text('qwen2.5-1.5b-instruct', 'Model that writes local answers.', { env: 'LAYER2__MODEL_NAME' }),
  'layer2.timeout_seconds': wholeNumber(30, [1], 'Time limit of classification and answer together, in seconds.', {
    env: 'LAYER2__TIMEOUT_SECONDS',
  }),
  local_slm_url: url('http://127.0.0.1:11434/v1', 'Server that classifies prompts, as layer2.sidecar_url.'),
  local_slm_model: text('qwen2.5:1.5b', 'Model that classifies prompts.'),

  // Cloud
  llm_provider: pattern('openai', VENDOR, 'a provider name in lower case, such as openai', 'The primary provider.', {
    env: 'LLM_PROVIDER',
  }),
  external_llm_model: nullableText(
    "Model to ask for when the client names none; without it, the provider's own default.",
    {
      env: 'EXTERNAL_LLM_MODEL',
    },
  ),
  external_llm_url: url(
    undefined,
    'Endpoint of the primary provider: a base or a full chat URL; for azure the bare endpoint.',
    {
      env: 'EXTERNAL_LLM_URL',
    },
  ),
  external_llm_api_key: optionalText('Key of the primary provider.', {
    env: 'EXTERNAL_LLM_API_KEY',
    secret: true,
    file: true,
  }),
  credential_key: text(
    '',
    "Text that stored credentials are encrypted with; empty takes the system keyring's key, else that of a file.",
    { secret: true, file: true },
  ),
  credential_keyring: flag(true, "Ask the system's keyring for the master key of stored credentials."),
  sign_in: map(
    z.record(z.string(), z.record(z.string(), z.string())),
    {},
    2,
    'How `deflector auth` signs in to a vendor: client id and secret, endpoints.',
    { secret: true, file: true },
  ),
  azure_deployment_id: optionalText('Deployment of a primary provider with hosted deployments.'),
  azure_api_version: optionalText('API version of a primary provider with hosted deployments.'),
  model_aliases: map(z.record(z.string(), z.string().min(1)), {}, 1, 'Names that clients may use for a model.'),
  model_routes: map(
    z.record(z.string(), z.string().min(1)),
    {},
    1,
    'Providers for models, by patterns of their names (`claude-*`). The first that fits counts; the primary gets all others.',
    { ordered: true },
  ),
  provider_keys: records(providerKey, 'Key pool of the primary provider.', {
    env: 'PROVIDER_KEYS',
    secret: true,
    file: true,
  }),
  key_rotation_strategy: choice(KEY_ROTATION, 'round_robin', 'How the next key of a pool is chosen.', {
    env: 'KEY_ROTATION_STRATEGY',
  }),
  key_cooldown_secs: wholeNumber(60, [0], 'Cooldown of a key after a 429 that names no time, in seconds.', {
    env: 'KEY_COOLDOWN_SECS',
  }),
  key_cooldown_max_secs: wholeNumber(300, [0], 'Longest cooldown of a key, whatever the vendor asks for, in seconds.'),
  l3_timeout_secs: wholeNumber(120, [1], 'Time limit of all attempts up to the first byte, in seconds.', {
    env: 'L3_TIMEOUT_SECS',
  }),
  connect_secs: wholeNumber(10, [1], 'Time limit of a connection to a provider, in seconds.'),
  first_event_secs: wholeNumber(
    30,
    [1],
    'Longest silence of a stream before its first content while another provider is ready, in seconds.',
  ),
  whole_answer_secs: wholeNumber(
    80,
    [1],
    'Time limit of an answer that comes whole while another provider is ready, in seconds.',
  ),
  stream_idle_secs: wholeNumber(60, [1], 'Longest silence of a stream, in seconds.'),
  retry_patience_secs: wholeNumber(
    3,
    [0],
    'Longest time that a request waits because providers ask for it, in seconds.',
  ),
  hosted_tools: choice(
    ['refuse', 'drop'],
    'refuse',
    'What becomes of tools that a vendor of another format would run itself: the request is refused, or they are left out.',
  ),
  stream_resume: choice(
    ['splice', 'prefill', 'off'],
    'splice',
    'How a stream that breaks off goes on: by an answer that begins the same, by prefill where a vendor has it, or not.',
  ),
  stream_hold: flag(
    false,
    'Hold a stream back until it is whole, so that another provider can make up for a broken one.',
  ),
  fallback_providers: records(providerEntry, 'Providers to try after the primary one, in order.', {
    env: 'FALLBACK_PROVIDERS',
    secret: true,
    file: true,
  }),
  provider_order: choice(
    ['listed', 'weighted', 'health', 'price'],
    'listed',
    'Which provider is asked first: as listed, by chance and weight, the one that answers best of late, or the cheapest.',
  ),
  hedge_after_ms: wholeNumber(
    0,
    [0],
    'Silence of a provider after which a second one is asked as well, in milliseconds; 0 turns this off.',
  ),
  hedge_budget: ratio(0.05, 'Largest share of requests for which a second provider is asked as well.'),
  list_vendor_models: flag(false, "List the providers' whole catalogues in GET /v1/models, fetched once an hour."),
  offline_mode: flag(false, 'Never call the cloud.'),
  provider_health_check_interval_secs: wholeNumber(
    300,
    [0],
    'Time between health checks of providers, in seconds; 0 turns them off.',
    { env: 'PROVIDER_HEALTH_CHECK_INTERVAL_SECS' },
  ),

  // Context optimiser
  enable_context_optimizer: flag(true, 'Shorten instructions before the cloud call.', {
    env: 'ENABLE_CONTEXT_OPTIMIZER',
  }),
  context_optimizer_dedup: flag(true, 'Replace instruction blocks that stand in full earlier in the request.', {
    env: 'CONTEXT_OPTIMIZER_DEDUP',
  }),
  context_optimizer_dedup_scope: choice(
    ['request', 'session'],
    'request',
    'Where a repeat must have been seen; session also drops what only an earlier request held.',
  ),
  context_optimizer_minify: flag(true, 'Strip comments, decoration and repeated blank lines from instructions.', {
    env: 'CONTEXT_OPTIMIZER_MINIFY',
  }),
  context_optimizer_tool_results: flag(
    false,
    'Replace results of tools that stand in full earlier in the request by a pointer to that call.',
  ),
  context_optimizer_breakpoints: flag(
    false,
    'Set cache_control for clients of the messages format that set none, so that the vendor caches their conversations.',
  ),

  // Classifier routing
  'classifier_routing.enabled': flag(false, 'Choose provider and model by what a prompt is about.', {
    env: 'CLASSIFIER_ROUTING__ENABLED',
  }),
  'classifier_routing.artifacts_path': text('', 'File of the trained classifier; empty takes the starter artifact.', {
    env: 'CLASSIFIER_ROUTING__ARTIFACTS_PATH',
  }),
  'classifier_routing.confidence_threshold': ratio(0.55, 'Least confidence at which a rule counts.', {
    env: 'CLASSIFIER_ROUTING__CONFIDENCE_THRESHOLD',
  }),
  'classifier_routing.fallback_to_existing_routing': flag(
    true,
    'Go on as usual when no rule fits or a prompt cannot be classified; otherwise refuse with 503.',
    { env: 'CLASSIFIER_ROUTING__FALLBACK_TO_EXISTING_ROUTING' },
  ),
  'classifier_routing.rules': records(
    routingRule,
    'Routing rules, in order: labels that a prompt must have, and the provider, model or both that it gets.',
    {
      env: 'CLASSIFIER_ROUTING__RULES',
    },
  ),
  'classifier_routing.matrix': map(
    z.record(z.string(), z.record(z.string(), z.string().min(1))),
    {},
    2,
    'Routing table behind the rules: complexity, then task type, then provider/model, provider or local; default is any label.',
    { env: 'CLASSIFIER_ROUTING__MATRIX' },
  ),

  // Log
  log_level: choice(['debug', 'info', 'warn', 'error', 'silent'], 'info', 'Lowest level that is logged.'),
  log_format: choice(
    ['auto', 'json', 'text'],
    'auto',
    'Form of the log on stderr; auto is text on a terminal and JSON elsewhere.',
  ),

  // Usage, request logs, tracing
  quota: map(
    z.record(z.string(), quotaPolicy),
    {},
    2,
    'Limits of each provider, by its name or its vendor: tokens and USD a day, week and month.',
  ),
  quota_reserve: choice(
    ['max', 'typical'],
    'max',
    "What a call reserves of a limit for its answer: the client's max_tokens, or no more than an answer usually has.",
  ),
  limits: map(
    z.record(z.string(), keyLimits),
    {},
    2,
    'Limits of each gateway key, by its label: requests and tokens a minute, USD a day; default is gateway_api_key.',
  ),
  usage_pricing: map(
    z.record(z.string(), price),
    {},
    2,
    'Prices by provider, its name first, then its vendor, in USD for a million tokens; over the built-in list.',
  ),
  usage_log_path: text(dataDir => dataDir, 'Folder of usage.jsonl.', { env: 'USAGE_LOG_PATH' }),
  usage_retention_days: wholeNumber(30, [1], 'How long usage is kept, in days.', { env: 'USAGE_RETENTION_DAYS' }),
  usage_window_hours: wholeNumber(24, [1], 'Window of usage summaries, in hours.', { env: 'USAGE_WINDOW_HOURS' }),
  enable_request_logs: flag(false, 'Write requests and answers, prompts included and keys not, to a log.', {
    env: 'ENABLE_REQUEST_LOGS',
  }),
  request_log_path: text(
    dataDir => `${dataDir}/request_logs`,
    'Folder of the request log: six files of 10 MiB at most.',
    {
      env: 'REQUEST_LOG_PATH',
    },
  ),
  enable_monitoring: flag(false, 'Export a trace of every request, and metrics, over OTLP.', {
    env: 'ENABLE_MONITORING',
  }),
  propagate_trace: flag(
    false,
    'Send vendors the traceparent of each request, so that their spans join the same trace.',
  ),
  enable_metrics: flag(false, 'Serve GET /metrics for Prometheus, to keys that may administer.'),
  otel_exporter_endpoint: url('http://localhost:4317', 'OTLP gRPC endpoint.', { env: 'OTEL_EXPORTER_ENDPOINT' }),

  // MCP
  mcp_allow_store: flag(true, 'Offer the MCP tool that writes to the cache.'),
  mcp_allowed_hosts: names([], 'Host names that MCP accepts besides loopback and the bound address.'),
} as const satisfies Record<string, Row>

export type SettingKey = keyof typeof SETTINGS

/** Every setting by its dotted key. */
export type SettingValues = { readonly [Key in SettingKey]: z.output<(typeof SETTINGS)[Key]['type']> }

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key)

/** Every key with its row, in the order of the table. */
export const ROWS: readonly (readonly [SettingKey, Row])[] = Object.entries(SETTINGS).flatMap(([key, row]) =>
  isSettingKey(key) ? [[key, row] as const] : [],
)

export const PREFIX = 'SERVICE__'

/** The variables of a setting; the first one that is set counts. */
export function variablesOf(key: SettingKey): readonly string[] {
  const derived = key.toUpperCase().replaceAll('.', '__')
  return [...new Set([...SETTINGS[key].env, derived])].map(suffix => PREFIX + suffix)
}
