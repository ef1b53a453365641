import { test } from 'uvu'
import * as assert from 'uvu/assert'
import { deriveValues } from '../../config/providers.ts'
import { inPlace } from './place.ts'

type Env = Readonly<Record<string, string>>

const ON = { SERVICE__ENABLE_SLM_ROUTER: 'true' }

/** The models that these settings mean, beside the embedder, and which of them write and classify. */
const models = (env: Env, expected: object, names: readonly (string | undefined)[]): (() => void) =>
  inPlace(place => {
    const { model_entries, slm_writer, slm_intent } = deriveValues(place.load(undefined, env))
    const { embedder: _, ...small } = model_entries
    assert.equal(small, expected)
    assert.equal([slm_writer, slm_intent], names)
  })

const SIDECAR = {
  use: 'chat-server',
  options: { url: 'http://127.0.0.1:8081', model: 'qwen2.5-1.5b-instruct', timeout_secs: 30 },
}
const INTENT = {
  use: 'chat-server',
  options: { url: 'http://127.0.0.1:11434/v1', model: 'qwen2.5:1.5b', timeout_secs: 30 },
}

test('a gateway without a small model has no model for it', models({}, {}, [undefined, undefined]))

test(
  'by default one server classifies and another one writes',
  models(ON, { 'small-model': SIDECAR, 'intent-model': INTENT }, ['small-model', 'intent-model']),
)

test(
  'where a trained file classifies, only what writes is a server',
  models({ ...ON, SERVICE__SLM_ROUTER__CLASSIFIER: 'heads' }, { 'small-model': SIDECAR }, ['small-model', undefined]),
)

test(
  'one vLLM server is both, and gets the key and the time limit',
  models(
    {
      ...ON,
      SERVICE__ROUTER_BACKEND: 'vllm',
      SERVICE__VLLM_URL: 'http://v:8000/v1',
      SERVICE__VLLM_MODEL: 'tiny',
      SERVICE__SLM_ROUTER__API_KEY: 'sk-local',
      SERVICE__LAYER2__TIMEOUT_SECONDS: '300',
    },
    {
      'small-model': {
        use: 'chat-server',
        options: { url: 'http://v:8000/v1', model: 'tiny', timeout_secs: 300, api_key: 'sk-local' },
      },
    },
    ['small-model', 'small-model'],
  ),
)

test(
  'a model with a path is both, in a process beside the gateway',
  models(
    { ...ON, SERVICE__MODEL_PATH: '/models/tiny', SERVICE_HF_CACHE_DIR: '/cache' },
    { 'small-model': { use: 'text-generation', options: { model: '/models/tiny', cache_dir: '/cache' } } },
    ['small-model', 'small-model'],
  ),
)

test(
  'a server of the small model that is the gateway itself is refused, with both settings',
  inPlace(place => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.7'])
      assert.throws(
        () => place.load(`layer2.sidecar_url = "http://${host}:8080/v1"\n`, { ...ON, SERVICE__HOST: '10.0.0.7' }),
        /^service\.toml:1: layer2\.sidecar_url is the gateway's own listener \(server\.port is 8080, default\); give /,
      )
  }),
)

test(
  'a gateway on a port that a server of the small model has by default is refused',
  inPlace(place => {
    const at = (port: string) => () => place.load(undefined, { ...ON, SERVICE__PORT: port })
    assert.throws(
      at('8081'),
      /layer2\.sidecar_url is the gateway's own listener \(server\.port is 8081, SERVICE__PORT\)/,
    )
    assert.throws(at('11434'), /local_slm_url is the gateway/)
  }),
)

test(
  'an address that nobody asks may be anything',
  inPlace(place => {
    place.load(undefined, { SERVICE__PORT: '8081' })
    place.load(undefined, { ...ON, SERVICE__PORT: '8081', SERVICE__MODEL_PATH: '/models/tiny' })
    place.load(undefined, { ...ON, SERVICE__PORT: '11434', SERVICE__SLM_ROUTER__CLASSIFIER: 'heads' })
    place.load(undefined, { ...ON, SERVICE__LAYER2__SIDECAR_URL: 'http://10.0.0.7:8080' })
  }),
)

test.run()
