import { CODES } from 'deflector'
import { CACHES } from 'deflector/formats/cache-lookups'
import { IDENTITIES } from 'deflector/formats/client-identity'
import { LAYER_NAMES } from 'deflector/formats/layer-names'

/**
 * Every attribute of every metric, with all the values that it can have. A value that is not in its list is counted as the
 * last one of it, so the number of series is bounded whatever clients, vendors and plugins say.
 */

const OTHER = 'other'
const UNKNOWN = 'unknown'

const LAYERS = [...Object.values(LAYER_NAMES), OTHER]

/** Statuses that the gateway or a vendor gives; all others are one. */
const STATUSES = [
  ...[200, 204, 400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 422, 424, 426, 429, 499],
  ...[500, 501, 502, 503, 504, 508, 529],
].map(String)

const REASONS = [
  ...['bad_request', 'context', 'unsayable', 'rate_limited', 'timeout', 'unavailable', 'credential', 'protocol'],
  ...['overloaded', 'network', 'quota', 'gave_up', 'untellable'],
]

/** Attributes of fixed values; of the others see `OPEN`. */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  final_layer: LAYERS,
  layer: LAYERS,
  layer_name: LAYERS,
  cache_layer: [...CACHES, OTHER],
  status_code: [...STATUSES, OTHER],
  traffic_surface: IDENTITIES.trafficSurface,
  client: [...IDENTITIES.client.filter(client => client !== OTHER), OTHER],
  endpoint_family: [...IDENTITIES.endpointFamily.filter(family => family !== OTHER), OTHER],
  tool: [...IDENTITIES.tool.filter(tool => tool !== UNKNOWN), UNKNOWN],
  error_class: [...Object.keys(CODES), OTHER],
  outcome: ['hit', 'stale', 'miss', 'skipped', 'error', 'stored', 'not_stored', 'success', 'failure', OTHER],
  operation: ['chat', 'embeddings', 'count_tokens', 'completions', OTHER],
  attempts: ['2', '3', '4', '5_or_more'],
  'http.request.method': ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', '_OTHER'],
  'http.response.status_code': ['', ...STATUSES, OTHER],
  'gen_ai.operation.name': ['chat', 'embeddings', 'text_completion', OTHER],
  'gen_ai.token.type': ['input', 'output'],
  'mcp.method.name': ['tools/call', OTHER],
  'error.type': ['', ...STATUSES, ...REASONS, ...Object.keys(CODES), 'cancelled', 'tool_error', OTHER],
}

/** Attributes whose values settings and clients choose, with the number of values that are told apart. */
export const OPEN: Readonly<Record<string, number>> = {
  'gen_ai.provider.name': 50,
  'gen_ai.request.model': 100,
  'gen_ai.response.model': 100,
  'server.address': 50,
  'server.port': 50,
  'mcp.protocol.version': 20,
  'http.route': 200,
}

/** Series of one metric; those beyond count under the last value of each attribute. */
export const MOST_SERIES = 5_000

/** Seconds. */
export const REQUEST_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
export const LAYER_BOUNDS = [0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120]
/** As the conventions for HTTP have them, and longer ones, as answers take their time. */
export const HTTP_BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 120]
/** As the GenAI conventions have them. */
export const PER_TOKEN_BOUNDS = [0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5]
export const OPERATION_BOUNDS = [
  ...[0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92],
]
export const TOKEN_BOUNDS = [
  ...[1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
]
