import { test } from 'uvu'
import * as assert from 'uvu/assert'
import type { Entry } from '../../config/entry.ts'
import { deriveValues } from '../../config/providers.ts'
import { inPlace } from './place.ts'

type Env = Readonly<Record<string, string>>

/** The embedder that these settings mean, and those who are asked for nothing else. */
const embedder = (env: Env, expected: Entry): (() => void) =>
  inPlace(place => {
    assert.equal(deriveValues(place.load(undefined, env)).model_entries, { embedder: expected })
  })

const BUILT_IN = { use: 'static', options: {} }

test('without settings it is the built-in model', embedder({}, BUILT_IN))

for (const name of ['static', 'deflector-static-384'])
  test(`"${name}" is the built-in model, in process`, embedder({ SERVICE__EMBEDDING_MODEL: name }, BUILT_IN))

test(
  'any other model goes through the transformers library, with the cache folder that the operator named',
  embedder(
    { SERVICE__EMBEDDING_MODEL: 'acme/mini', SERVICE_HF_CACHE_DIR: '/cache' },
    { use: 'transformers', options: { model: 'acme/mini', cache_dir: '/cache' } },
  ),
)

test(
  'tei is a server at an address',
  embedder(
    { SERVICE__SEMANTIC_BACKEND: 'tei', SERVICE__TEI_URL: 'http://tei:80' },
    { use: 'tei', options: { url: 'http://tei:80' } },
  ),
)

test(
  'the sidecar has an address, a model and a time limit',
  embedder(
    { SERVICE__SEMANTIC_BACKEND: 'sidecar', SERVICE__EMBEDDING_SIDECAR__MODEL_NAME: 'mini' },
    { use: 'sidecar', options: { url: 'http://127.0.0.1:8082', model: 'mini', timeout_secs: 10 } },
  ),
)

test.run()
