import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { isSettingKey, ROWS, variablesOf } from '../../config/schema.ts'
import { inPlace } from './place.ts'

/**
 * The configuration table of the specification and the keys that were decided on since: key, variables without prefix,
 * default, another good value and how that is written in a variable.
 */
const DATA = Symbol('data directory')
type Expected = readonly [key: string, variables: string, fallback: unknown, other: unknown, written?: string]
const TABLE: readonly Expected[] = [
  ['server.host', 'HOST SERVER__HOST', '0.0.0.0', '127.0.0.1'],
  ['server.port', 'PORT SERVER__PORT', 8080, 9090],
  ['gateway_api_key', 'GATEWAY_API_KEY', '', 'hunter2hunter2'],
  ['exact_cache.redis_url', 'REDIS_URL EXACT_CACHE__REDIS_URL', undefined, 'redis://localhost:6379'],
  ['exact_cache.redis_db', 'REDIS_DB EXACT_CACHE__REDIS_DB', 0, 3],
  ['cache_mode', 'CACHE_MODE', 'both', 'exact'],
  ['similarity_threshold', 'SIMILARITY_THRESHOLD', 0.85, 0.9],
  ['cache_ttl_secs', 'CACHE_TTL_SECS', 300, 60],
  ['cache_max_capacity', 'CACHE_MAX_CAPACITY', 10000, 5],
  ['semantic_cache.provider', 'SEMANTIC_BACKEND SEMANTIC_CACHE__PROVIDER', 'candle', 'sidecar'],
  ['semantic_cache.remote_url', 'TEI_URL SEMANTIC_CACHE__REMOTE_URL', undefined, 'http://tei:80'],
  ['semantic_cache.store', 'SEMANTIC_CACHE__STORE', 'memory', 'redis'],
  ['embedding_model', 'EMBEDDING_MODEL', 'static', 'acme/mini'],
  ['embedding_sidecar.sidecar_url', 'EMBEDDING_SIDECAR__SIDECAR_URL', 'http://127.0.0.1:8082', 'http://e:1'],
  ['embedding_sidecar.model_name', 'EMBEDDING_SIDECAR__MODEL_NAME', 'all-minilm', 'mini'],
  ['embedding_sidecar.timeout_seconds', 'EMBEDDING_SIDECAR__TIMEOUT_SECONDS', 10, 3],
  ['enable_slm_router', 'ENABLE_SLM_ROUTER', false, true],
  ['slm_router.provider', 'ROUTER_BACKEND SLM_ROUTER__PROVIDER', 'embedded', 'vllm'],
  ['slm_router.remote_url', 'VLLM_URL SLM_ROUTER__REMOTE_URL', undefined, 'http://v:1'],
  ['slm_router.model', 'VLLM_MODEL SLM_ROUTER__MODEL', 'gemma-2-2b-it', 'tiny'],
  ['slm_router.model_path', 'MODEL_PATH SLM_ROUTER__MODEL_PATH', undefined, '/m.gguf'],
  ['slm_router.classifier_mode', 'LAYER2__CLASSIFIER_MODE SLM_ROUTER__CLASSIFIER_MODE', 'tiered', 'binary'],
  ['slm_router.max_answer_tokens', 'LAYER2__MAX_ANSWER_TOKENS SLM_ROUTER__MAX_ANSWER_TOKENS', 2048, 64],
  ['layer2.sidecar_url', 'LAYER2__SIDECAR_URL', 'http://127.0.0.1:8081', 'http://l:1'],
  ['layer2.model_name', 'LAYER2__MODEL_NAME', 'qwen2.5-1.5b-instruct', 'tiny'],
  ['layer2.timeout_seconds', 'LAYER2__TIMEOUT_SECONDS', 30, 5],
  ['local_slm_url', 'LOCAL_SLM_URL', 'http://127.0.0.1:11434/v1', 'http://s:1'],
  ['local_slm_model', 'LOCAL_SLM_MODEL', 'qwen2.5:1.5b', 'tiny'],
  ['llm_provider', 'LLM_PROVIDER', 'openai', 'groq'],
  ['external_llm_model', 'EXTERNAL_LLM_MODEL', null, 'gpt-x'],
  ['external_llm_url', 'EXTERNAL_LLM_URL', undefined, 'https://llm.example/v1'],
  ['external_llm_api_key', 'EXTERNAL_LLM_API_KEY', undefined, 'sk-1234'],
  ['model_aliases', 'MODEL_ALIASES', {}, { fast: 'gpt-x' }],
  ['model_routes', 'MODEL_ROUTES', {}, { 'gpt-x': 'openai' }],
  ['provider_keys', 'PROVIDER_KEYS', [], [{ key: 'a', priority: 1, label: 'one' }]],
  ['key_rotation_strategy', 'KEY_ROTATION_STRATEGY', 'round_robin', 'priority'],
  ['key_cooldown_secs', 'KEY_COOLDOWN_SECS', 60, 7],
  ['l3_timeout_secs', 'L3_TIMEOUT_SECS', 120, 9],
  ['fallback_providers', 'FALLBACK_PROVIDERS', [], [{ provider: 'groq', model: 'm' }]],
  ['offline_mode', 'OFFLINE_MODE', false, true],
  ['enable_context_optimizer', 'ENABLE_CONTEXT_OPTIMIZER', true, false],
  ['context_optimizer_dedup', 'CONTEXT_OPTIMIZER_DEDUP', true, false],
  ['context_optimizer_minify', 'CONTEXT_OPTIMIZER_MINIFY', true, false],
  ['enable_request_logs', 'ENABLE_REQUEST_LOGS', false, true],
  ['request_log_path', 'REQUEST_LOG_PATH', DATA, '/logs'],
  ['usage_log_path', 'USAGE_LOG_PATH', DATA, '/usage'],
  ['usage_retention_days', 'USAGE_RETENTION_DAYS', 30, 3],
  ['usage_window_hours', 'USAGE_WINDOW_HOURS', 24, 3],
  ['provider_health_check_interval_secs', 'PROVIDER_HEALTH_CHECK_INTERVAL_SECS', 300, 0],
  ['classifier_routing.enabled', 'CLASSIFIER_ROUTING__ENABLED', false, true],
  ['classifier_routing.artifacts_path', 'CLASSIFIER_ROUTING__ARTIFACTS_PATH', '', '/a.json'],
  ['classifier_routing.confidence_threshold', 'CLASSIFIER_ROUTING__CONFIDENCE_THRESHOLD', 0.55, 0.7],
  ['classifier_routing.fallback_to_existing_routing', 'CLASSIFIER_ROUTING__FALLBACK_TO_EXISTING_ROUTING', true, false],
  ['classifier_routing.rules', 'CLASSIFIER_ROUTING__RULES', [], [{ name: 'r', domain: 'law', provider: 'groq' }]],
  ['classifier_routing.matrix', 'CLASSIFIER_ROUTING__MATRIX', {}, { default: { default: 'local' } }],
  ['quota', 'QUOTA', {}, { openai: { daily_token_limit: 5, warning_threshold_ratio: 0.8 } }],
  ['quota_reserve', 'QUOTA_RESERVE', 'max', 'typical'],
  ['limits', 'LIMITS', {}, { ann: { requests_per_minute: 5 } }],
  ['usage_pricing', 'USAGE_PRICING', {}, { groq: { input_cost_per_million_usd: 0.5 } }],
  ['enable_monitoring', 'ENABLE_MONITORING', false, true],
  ['enable_metrics', 'ENABLE_METRICS', false, true],
  ['propagate_trace', 'PROPAGATE_TRACE', false, true],
  ['otel_exporter_endpoint', 'OTEL_EXPORTER_ENDPOINT', 'http://localhost:4317', 'http://otel:4317'],
  // Decided on
  ['pipeline', 'PIPELINE', undefined, 'mine.yaml'],
  ['max_body_bytes', 'MAX_BODY_BYTES', 33_554_432, 1024],
  ['gateway_api_keys', 'GATEWAY_API_KEYS', [], [{ key: 'k', label: 'ann', admin: true }]],
  ['forward_client_credentials', 'FORWARD_CLIENT_CREDENTIALS', false, true],
  ['cors_origins', 'CORS_ORIGINS', [], ['https://app.example'], '["https://app.example"]'],
  ['allowed_hosts', 'ALLOWED_HOSTS', [], ['gw.example'], '["gw.example"]'],
  [
    'session_headers',
    'SESSION_HEADERS',
    ['x-service-session-id', 'x-thread-id', 'x-session-id', 'x-conversation-id'],
    ['x-a', 'x-b'],
    'x-a, x-b',
  ],
  ['cache_scope', 'CACHE_SCOPE', 'auto', 'global'],
  ['cache_stale_secs', 'CACHE_STALE_SECS', 86_400, 0],
  ['responses_store', 'RESPONSES_STORE', true, false],
  ['cache_max_ttl_secs', 'CACHE_MAX_TTL_SECS', 86_400, 60],
  ['cache_max_bytes', 'CACHE_MAX_BYTES', 268_435_456, 1024],
  ['cache_normalize_agents', 'CACHE_NORMALIZE_AGENTS', false, true],
  ['semantic_shadow_rate', 'SEMANTIC_SHADOW_RATE', 0, 0.1],
  ['semantic_max_false_requests', 'SEMANTIC_MAX_FALSE_REQUESTS', 0.003, 0.01],
  ['semantic_wait_ms', 'SEMANTIC_WAIT_MS', 30, 50],
  ['semantic_max_error', 'SEMANTIC_MAX_ERROR', 0.005, 0.1],
  ['credential_key', 'CREDENTIAL_KEY', '', 'a text of some length'],
  ['sign_in', 'SIGN_IN', {}, { copilot: { client_id: 'app' } }],
  ['credential_keyring', 'CREDENTIAL_KEYRING', true, false],
  ['azure_deployment_id', 'AZURE_DEPLOYMENT_ID', undefined, 'mine'],
  ['azure_api_version', 'AZURE_API_VERSION', undefined, '2026-01-01'],
  ['key_cooldown_max_secs', 'KEY_COOLDOWN_MAX_SECS', 300, 600],
  ['connect_secs', 'CONNECT_SECS', 10, 2],
  ['first_event_secs', 'FIRST_EVENT_SECS', 30, 10],
  ['whole_answer_secs', 'WHOLE_ANSWER_SECS', 80, 200],
  ['stream_idle_secs', 'STREAM_IDLE_SECS', 60, 5],
  ['retry_patience_secs', 'RETRY_PATIENCE_SECS', 3, 0],
  ['hosted_tools', 'HOSTED_TOOLS', 'refuse', 'drop'],
  ['stream_resume', 'STREAM_RESUME', 'splice', 'off'],
  ['stream_hold', 'STREAM_HOLD', false, true],
  ['provider_order', 'PROVIDER_ORDER', 'listed', 'weighted'],
  ['hedge_after_ms', 'HEDGE_AFTER_MS', 0, 800],
  ['hedge_budget', 'HEDGE_BUDGET', 0.05, 0.5],
  ['slm_router.api_key', 'SLM_ROUTER__API_KEY', undefined, 'sk-local'],
  ['slm_router.classifier', 'SLM_ROUTER__CLASSIFIER', 'model', 'heads'],
  ['slm_router.heads_path', 'SLM_ROUTER__HEADS_PATH', '', '/tiers.json'],
  ['slm_router.confidence_threshold', 'SLM_ROUTER__CONFIDENCE_THRESHOLD', 0.9, 0.8],
  ['slm_router.max_prompt_chars', 'SLM_ROUTER__MAX_PROMPT_CHARS', 16_000, 4000],
  ['slm_router.max_waiting', 'SLM_ROUTER__MAX_WAITING', 4, 1],
  ['slm_router.answer_ttl_secs', 'SLM_ROUTER__ANSWER_TTL_SECS', 60, 0],
  ['list_vendor_models', 'LIST_VENDOR_MODELS', false, true],
  ['context_optimizer_dedup_scope', 'CONTEXT_OPTIMIZER_DEDUP_SCOPE', 'request', 'session'],
  ['context_optimizer_tool_results', 'CONTEXT_OPTIMIZER_TOOL_RESULTS', false, true],
  ['context_optimizer_breakpoints', 'CONTEXT_OPTIMIZER_BREAKPOINTS', false, true],
  ['mcp_allow_store', 'MCP_ALLOW_STORE', true, false],
  ['mcp_allowed_hosts', 'MCP_ALLOWED_HOSTS', [], ['llm.local'], '["llm.local"]'],
  ['drain_secs', 'DRAIN_SECS', 10, 30],
  ['log_level', 'LOG_LEVEL', 'info', 'warn'],
  ['log_format', 'LOG_FORMAT', 'auto', 'text'],
  ['exact_cache.provider', 'CACHE_BACKEND EXACT_CACHE__PROVIDER', 'memory', 'memory'],
]

/** Variables that are there so that no value asks for a setting that is missing. */
const AROUND: Readonly<Record<string, Record<string, string>>> = {
  'slm_router.provider': { SERVICE__VLLM_URL: 'http://v:1' },
  limits: { SERVICE__GATEWAY_API_KEYS: '[{"key":"k","label":"ann"}]' },
  'semantic_cache.store': { SERVICE__REDIS_URL: 'redis://r' },
}

/** The same value as TOML, with JSON's help: inline tables only differ in their sign. */
const toml = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, inside]) => `${key} = ${toml(inside)}`)
    .join(', ')} }`
}

test('the schema and the documented table name the same settings', () => {
  assert.equal(ROWS.map(([key]) => key).sort(), TABLE.map(([key]) => key).sort())
})

for (const [key, variables, fallback, other, written] of TABLE) {
  test(
    `${key} has its default, and is read from the file and from each of its variables`,
    inPlace(place => {
      if (!isSettingKey(key)) throw new Error(`${key} is no setting`)
      const around = AROUND[key] ?? {}
      const whole = place.load(undefined).values[key]
      if (fallback === DATA) assert.match(String(whole), place.dataDir)
      else assert.equal(whole, fallback)
      assert.equal(
        variablesOf(key),
        variables.split(' ').map(name => `SERVICE__${name}`),
      )
      for (const name of variablesOf(key)) {
        const text = written ?? (typeof other === 'object' ? JSON.stringify(other) : String(other))
        const loaded = place.load(undefined, { ...around, [name]: text })
        assert.equal(loaded.values[key], other, name)
        assert.equal(loaded.sources.get(key), { kind: 'env', name })
      }
      const loaded = place.load(`# a comment\n${key} = ${toml(other)}\n`, around)
      assert.equal(loaded.values[key], other)
      assert.equal(loaded.sources.get(key), { kind: 'file', file: 'service.toml', line: 2 })
    }),
  )
}

test('no variable means two settings', () => {
  const all = ROWS.flatMap(([key]) => variablesOf(key))
  assert.is(new Set(all).size, all.length)
})

test(
  'a share of wrong answers beyond what was measured is refused, with what may be written',
  inPlace(place => {
    const name = 'SERVICE__SEMANTIC_MAX_FALSE_REQUESTS'
    for (const share of ['0', '0.0005', '0.01']) place.load(undefined, { [name]: share })
    assert.throws(
      () => place.load('semantic_max_false_requests = 0.5\n'),
      'service.toml:1: semantic_max_false_requests must be a number from 0 to 0.01, not 0.5',
    )
    assert.throws(() => place.load(undefined, { [name]: '0.011' }), 'from 0 to 0.01, not 0.011')
  }),
)

test('every setting says in one line what it is', () => {
  for (const [key, row] of ROWS) assert.match(row.doc, /^[A-Z].{5,}\.$/, key)
})

test('every secret setting is also read from a file', () => {
  const without = ROWS.filter(([, row]) => row.secret && !row.file).map(([key]) => key)
  assert.equal(without, [])
})

test.run()
