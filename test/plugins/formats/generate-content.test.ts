import { type Chat, GatewayError, type JsonObject, NO_CALL } from 'deflector'
import { exactJson } from 'deflector/formats/exact-json'
import { countContent, generateContent } from 'deflector/formats/generate-content'
import { test } from 'uvu'
import * as assert from 'uvu/assert'

const reply = { id: 'r1', created: 1_790_000_000, layer: 'l3' }
const called = (path: string) => ({ path, params: {}, query: new URLSearchParams(), headers: {} })
const asked = { role: 'user', parts: [{ text: 'Hi' }] }
const head = (path: string, body: unknown = { contents: [asked] }) => generateContent.readHead(body, called(path))
const decoded = (body: JsonObject): Chat => generateContent.decodePrompt({ contents: [asked], ...body })
const encoded = (chat: Partial<Chat>, model = 'gemini-3-flash'): JsonObject =>
  generateContent.encodePrompt(
    { system: [], turns: [{ role: 'user', blocks: [{ type: 'text', text: 'Hi' }] }], tools: [], sampling: {}, ...chat },
    { model, stream: false },
  )
const configOf = (chat: Partial<Chat>, model?: string): unknown => encoded(chat, model).generationConfig

function refused(run: () => unknown, param: string | RegExp): void {
  try {
    run()
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    assert.is(error.code, 'bad_request')
    assert.match(error.param ?? '', param)
    return
  }
  assert.unreachable(`${param} should be refused`)
}

// --- head

test('model and stream are read from the path, under both versions', () => {
  for (const [path, model, stream] of [
    ['/v1beta/models/gemini-3:generateContent', 'gemini-3', false],
    ['/v1/models/gemini-3:streamGenerateContent', 'gemini-3', true],
    ['/v1beta/models/vendor%2Fgemini:generateContent', 'vendor/gemini', false],
    ['/v1beta/models/llama:3b:generateContent', 'llama:3b', false],
    ['/v1beta/models/models/x:generateContent', 'x', false],
    ['/v1beta/tunedModels/mine:generateContent', 'tunedModels/mine', false],
  ] as const) {
    const { model: named, stream: streamed, operation } = head(path)
    assert.equal([named, streamed, operation], [model, stream, 'chat'])
  }
})

test('a model in the body counts before the one in the path', () => {
  const { model } = head('/v1beta/models/path:generateContent', { model: 'models/body', contents: [asked] })
  assert.is(model, 'body')
})

test('other methods are other operations, and an unknown one is told', () => {
  for (const [method, operation] of [
    ['countTokens', 'count_tokens'],
    ['embedContent', 'embed_content'],
    ['batchEmbedContents', 'batch_embed_contents'],
  ])
    assert.is(head(`/v1beta/models/m:${method}`, {}).operation, operation)
  assert.throws(() => head('/v1beta/models/m:predict'), /no method predict; there are generateContent/)
})

test('nothing but events goes to a client that reads nothing else', () => {
  const keepAlive = (client: string) =>
    generateContent.framing({ ...NO_CALL, headers: { 'x-goog-api-client': client } }).keepAlive
  assert.is(keepAlive('genai-js/0.24.1'), '')
  assert.is(keepAlive('langchain/2.3 genai-js/0.24.1'), '')
  assert.is(keepAlive('google-genai-sdk/3.1.0 gl-node/20'), '\n')
  assert.is(generateContent.framing(NO_CALL).keepAlive, '\n')
})

test('a body without contents is refused, one content alone is understood', () => {
  for (const body of [{}, { contents: [] }, { contents: 'hi' }, { contents: ['hi'] }])
    refused(() => head('/v1beta/models/m:generateContent', body), 'contents')
  assert.is(head('/v1beta/models/m:generateContent', { contents: asked }).operation, 'chat')
  assert.equal(generateContent.decodePrompt({ contents: { parts: { text: 'Hi' } } }).turns, [
    { role: 'user', blocks: [{ type: 'text', text: 'Hi' }] },
  ])
})

test('cached contents and uploaded files are state of the vendor, addresses are not (D33)', () => {
  const file = (fileUri: string) => ({ contents: [{ parts: [{ fileData: { fileUri, mimeType: 'image/png' } }] }] })
  const stateIn = (body: JsonObject) => head('/v1beta/models/m:generateContent', body).state
  assert.equal(stateIn({ contents: [asked], cachedContent: 'cachedContents/abc' }), {
    field: 'cachedContent',
    refers: ['cachedContents/abc'],
    creates: false,
    essential: true,
  })
  assert.is(stateIn({ contents: [asked], cached_content: 'cachedContents/abc' })?.field, 'cachedContent')
  const uploaded = stateIn(file('https://generativelanguage.googleapis.com/v1beta/files/abc-1'))
  assert.equal(uploaded?.refers, ['files/abc-1'])
  assert.is(uploaded?.field, 'contents[0].parts[0].fileData.fileUri')
  assert.is(stateIn(file('https://example.org/a.png')), undefined)
  assert.is(stateIn({ contents: [asked] }), undefined)
})

// --- prompts of clients

test('both spellings of every field are read', () => {
  const camel = {
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, thoughtSignature: 'b3du' },
          { functionCall: { id: 'c1', name: 'f', args: { a_b: 1 } }, thoughtSignature: 'c2ln' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'ok' } } }] },
      { role: 'user', parts: [{ fileData: { fileUri: 'https://example.org/a.pdf', mimeType: 'application/pdf' } }] },
    ],
    tools: [
      { functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object', properties: { a_b: {} } } }] },
    ],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
    generationConfig: {
      topP: 0.5,
      topK: 3,
      maxOutputTokens: 9,
      stopSequences: ['END'],
      responseMimeType: 'application/json',
      responseJsonSchema: { type: 'object' },
      thinkingConfig: { thinkingLevel: 'LOW', includeThoughts: true },
    },
  }
  const snake = {
    system_instruction: { parts: [{ text: 'Be brief.' }] },
    contents: [
      { role: 'user', parts: [{ text: 'a' }, { inline_data: { mime_type: 'image/png', data: 'AAAA' } }] },
      {
        role: 'model',
        parts: [
          { text: 'hm', thought: true, thought_signature: 'b3du' },
          { function_call: { id: 'c1', name: 'f', args: { a_b: 1 } }, thought_signature: 'c2ln' },
        ],
      },
      { role: 'user', parts: [{ function_response: { id: 'c1', name: 'f', response: { output: 'ok' } } }] },
      { role: 'user', parts: [{ file_data: { file_uri: 'https://example.org/a.pdf', mime_type: 'application/pdf' } }] },
    ],
    tools: [
      { function_declarations: [{ name: 'f', parameters_json_schema: { type: 'object', properties: { a_b: {} } } }] },
    ],
    tool_config: { function_calling_config: { mode: 'ANY', allowed_function_names: ['f'] } },
    generation_config: {
      top_p: 0.5,
      top_k: 3,
      max_output_tokens: 9,
      stop_sequences: ['END'],
      response_mime_type: 'application/json',
      response_json_schema: { type: 'object' },
      thinking_config: { thinking_level: 'LOW', include_thoughts: true },
    },
  }
  const chat = generateContent.decodePrompt(camel)
  assert.equal(generateContent.decodePrompt(snake), chat)
  assert.equal(chat.system, ['Be brief.'])
  assert.equal(chat.turns[1]?.blocks, [
    { type: 'reasoning', text: 'hm', signature: 'b3du', origin: 'generate-content' },
    { type: 'tool_call', id: 'c1', name: 'f', args: '{"a_b":1}', signature: 'c2ln', origin: 'generate-content' },
  ])
  assert.equal(chat.toolChoice, { mode: 'named', names: ['f'] })
  assert.equal(chat.reasoning, { mode: 'on', effort: 'low' })
  assert.equal(chat.responseFormat, { type: 'schema', schema: { type: 'object' } })
})

test('a call without an id has one after its place, and its result finds it by the name (R5)', () => {
  const step = [
    { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }, { functionCall: { name: 'g', args: {} } }] },
    {
      role: 'function',
      parts: [
        { functionResponse: { name: 'g', response: { output: '2' } } },
        { functionResponse: { name: 'f', response: { output: '1' } } },
      ],
    },
  ]
  const idsOf = (body: JsonObject) =>
    generateContent
      .decodePrompt(body)
      .turns.flatMap(({ blocks }) => blocks.flatMap(block => ('id' in block ? [block.id] : [])))
  const [f, g, ...results] = idsOf({ contents: [asked, ...step] })
  assert.ok(f && g && f !== g)
  assert.equal(results, [g, f])
  const later = idsOf({ contents: [asked, ...step, ...step] })
  assert.equal(later.slice(0, 4), [f, g, g, f], 'a longer history has the same ids at its beginning')
  assert.is(new Set(later).size, 4)
  const again = generateContent.decodePrompt({ contents: [asked, ...step] })
  const { contents } = generateContent.encodePrompt(again, { model: 'gemini-2.5-flash', stream: false })
  assert.not.match(JSON.stringify(contents), '"id"', 'who gave none gets none')
})

test('the pieces of a streamed answer are read as one, with the signature that proves them', () => {
  const { turns } = generateContent.decodePrompt({
    contents: [
      asked,
      { role: 'model', parts: [{ text: 'let me ', thought: true }] },
      { role: 'model', parts: [{ text: 'see', thought: true, thoughtSignature: 'c2ln' }] },
      { role: 'model', parts: [{ text: 'It is ' }] },
      { role: 'model', parts: [{ text: 'so.' }, { text: '' }] },
      asked,
    ],
  })
  assert.equal(turns[1], {
    role: 'assistant',
    blocks: [
      { type: 'reasoning', text: 'let me see', signature: 'c2ln', origin: 'generate-content' },
      { type: 'text', text: 'It is so.' },
    ],
  })
})

test('a result is its one text, or the object as it stands', () => {
  const told = (response: unknown) => {
    const part = { functionResponse: { name: 'f', response } }
    const [block] = generateContent.decodePrompt({ contents: [{ parts: [part] }] }).turns[0]?.blocks ?? []
    return block?.type === 'tool_result'
      ? [block.blocks.map(one => one.type === 'text' && one.text), block.isError]
      : []
  }
  assert.equal(told({ output: 'x' }), [['x'], false])
  assert.equal(told({ result: [1] }), [['[1]'], false])
  assert.equal(told({ error: 'no' }), [['no'], true])
  assert.equal(told({ output: 'x', more: 1 }), [['{"output":"x","more":1}'], false])
  assert.equal(told({}), [[], false])
  assert.equal(told({ name: 'f', content: 'x' }), [['x'], false], 'beside the name of the tool itself')
  assert.equal(told({ name: 'g', content: 'x' }), [['{"name":"g","content":"x"}'], false])
})

test('images, sounds and documents come inline and by address; a picture in a result too', () => {
  const { turns } = generateContent.decodePrompt({
    contents: [
      {
        parts: [
          { inlineData: { mimeType: 'image/png', data: '_-8=' } },
          { inlineData: { mimeType: 'audio/wav', data: 'AAAA' } },
          { inlineData: { mimeType: 'application/pdf', data: 'AAAA' } },
          { fileData: { fileUri: 'https://example.org/a.webp' } },
          { fileData: { fileUri: 'https://g.example/v1beta/files/x1', mimeType: 'image/png' } },
          {
            functionResponse: {
              name: 'f',
              response: {},
              parts: [{ inlineData: { mimeType: 'image/png', data: 'AA' } }],
            },
          },
        ],
      },
    ],
  })
  const blocks = turns[0]?.blocks ?? []
  assert.equal(blocks.slice(0, 5), [
    { type: 'image', source: { data: '/+8=', mediaType: 'image/png' } },
    { type: 'audio', source: { data: 'AAAA', mediaType: 'audio/wav' } },
    { type: 'document', source: { data: 'AAAA', mediaType: 'application/pdf' } },
    { type: 'image', source: { url: 'https://example.org/a.webp' } },
    { type: 'image', source: { fileId: 'https://g.example/v1beta/files/x1' } },
  ])
  const result = blocks[5]
  assert.equal(result?.type === 'tool_result' && result.blocks, [
    { type: 'image', source: { data: 'AA', mediaType: 'image/png' } },
  ])
})

test('declared tools are read as JSON Schema, whichever of the two spellings declares them', () => {
  const { tools } = decoded({
    tools: [
      {
        functionDeclarations: [
          {
            name: 'f',
            description: 'd',
            parameters: {
              type: 'OBJECT',
              properties: {
                a: { type: 'STRING', nullable: true, enum: ['x'], format: 'enum' },
                b: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: '2' },
              },
              required: ['a'],
              propertyOrdering: ['a', 'b'],
            },
          },
          { name: 'g' },
        ],
      },
      { googleSearch: {} },
    ],
  })
  assert.equal(tools, [
    {
      name: 'f',
      description: 'd',
      parameters: {
        type: 'object',
        properties: {
          a: { type: ['string', 'null'], enum: ['x', null] },
          b: { type: 'array', items: { type: 'integer' }, minItems: 2 },
        },
        required: ['a'],
      },
    },
    { name: 'g' },
    {
      name: 'googleSearch',
      hosted: {
        format: 'generate-content',
        value: { googleSearch: {} },
        field: 'tools[1].googleSearch',
        search: { fields: { blockedDomains: 'tools[1].googleSearch.excludeDomains' } },
      },
    },
  ])
})

test('what no other vendor can be asked for names its field (D42)', () => {
  const only = (body: JsonObject) => decoded(body).vendorOnly
  const config = (generationConfig: JsonObject) => only({ generationConfig })
  assert.equal(config({ responseModalities: ['TEXT', 'IMAGE'] }), ['generationConfig.responseModalities'])
  assert.equal(config({ responseMimeType: 'text/x.enum' }), ['generationConfig.responseMimeType'])
  assert.equal(config({ candidateCount: 3 }), ['generationConfig.candidateCount'])
  assert.equal(only({ cachedContent: 'cachedContents/a' }), ['cachedContent'])
  const video = { parts: [{ fileData: { fileUri: 'https://youtu.be/x', mimeType: 'video/mp4' } }] }
  assert.equal(only({ contents: [asked, video] }), ['contents[1].parts'])
  assert.equal(only({ contents: [asked, { parts: [{ executableCode: { code: '1' } }] }] }), ['contents[1].parts'])
  assert.is(config({ candidateCount: 1, responseMimeType: 'text/plain', responseModalities: ['TEXT'] }), undefined)
  assert.equal(decoded({ generationConfig: { responseLogprobs: true, logprobs: 2 } }).wanted, {
    logprobs: { top: 2 },
  })
  assert.is(decoded({ generationConfig: { candidateCount: 1, responseModalities: ['TEXT'] } }).wanted, undefined)
})

test('a budget for thinking is a wish like any other', () => {
  const reasoning = (thinkingConfig: JsonObject) => decoded({ generationConfig: { thinkingConfig } }).reasoning
  assert.equal(reasoning({ thinkingBudget: 0 }), { mode: 'off' })
  assert.equal(reasoning({ thinkingBudget: -1 }), { mode: 'auto' })
  assert.equal(reasoning({ thinkingBudget: 99 }), { mode: 'on', budget: 99 })
  assert.equal(reasoning({ thinkingLevel: 'MINIMAL' }), { mode: 'on', effort: 'minimal' })
  assert.equal(reasoning({ includeThoughts: true }), { mode: 'auto' })
  assert.is(reasoning({ includeThoughts: false }), undefined)
})

// --- prompts for the vendor

test('a history becomes contents in turn, a user first, with all results of a step in one (R1)', () => {
  const { contents, systemInstruction } = encoded({
    system: ['Be brief.'],
    turns: [
      {
        role: 'assistant',
        blocks: [
          { type: 'text', text: 'Checking.' },
          { type: 'tool_call', id: 'a', name: 'f', args: '{"city":"Oslo"}' },
          { type: 'tool_call', id: 'b', name: 'g', args: '' },
        ],
      },
      {
        role: 'user',
        blocks: [{ type: 'tool_result', id: 'b', blocks: [{ type: 'text', text: '2' }], isError: true }],
      },
      {
        role: 'user',
        blocks: [{ type: 'tool_result', id: 'a', blocks: [{ type: 'text', text: '1' }], isError: false }],
      },
      { role: 'system', blocks: [{ type: 'text', text: 'In French.' }] },
      { role: 'user', blocks: [{ type: 'text', text: 'And?' }] },
    ],
  })
  assert.equal(systemInstruction, { parts: [{ text: 'Be brief.' }] })
  assert.equal(contents, [
    { role: 'user', parts: [{ text: 'Continue.' }] },
    {
      role: 'model',
      parts: [
        { text: 'Checking.' },
        {
          functionCall: { id: 'a', name: 'f', args: { city: 'Oslo' } },
          thoughtSignature: 'skip_thought_signature_validator',
        },
        { functionCall: { id: 'b', name: 'g', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'a', name: 'f', response: { output: '1' } } },
        { functionResponse: { id: 'b', name: 'g', response: { error: '2' } } },
        { text: '<system-instruction>\nIn French.\n</system-instruction>' },
        { text: 'And?' },
      ],
    },
  ])
})

test('its own signatures go back to the vendor, all others stay here (R12, R13, D37)', () => {
  const turn = (origin: string) => ({
    turns: [
      {
        role: 'assistant' as const,
        blocks: [
          { type: 'reasoning' as const, text: 'hm', signature: 'c2ln', origin },
          { type: 'text' as const, text: 'so' },
          { type: 'reasoning' as const, text: '', signature: 'dGV4dA==', origin },
          { type: 'tool_call' as const, id: 'a', name: 'f', args: '{}', signature: 'Y2FsbA==', origin },
        ],
      },
    ],
  })
  const partsOf = (origin: string, model?: string) =>
    (encoded(turn(origin), model).contents as { parts: unknown[] }[])[1]?.parts
  const call = { functionCall: { id: 'a', name: 'f', args: {} } }
  assert.equal(partsOf('generate-content'), [
    { text: 'hm', thought: true, thoughtSignature: 'c2ln' },
    { text: 'so' },
    { text: '', thoughtSignature: 'dGV4dA==' },
    { ...call, thoughtSignature: 'Y2FsbA==' },
  ])
  assert.equal(partsOf('messages'), [{ text: 'so' }, { ...call, thoughtSignature: 'skip_thought_signature_validator' }])
  assert.equal(partsOf('messages', 'gemini-2.5-flash'), [{ text: 'so' }, call], 'older models want no proof of calls')
})

test('tools go out in one entry, as JSON Schema where the model takes it', () => {
  const parameters = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { n: { type: ['integer', 'null'], exclusiveMinimum: 1 } },
    additionalProperties: false,
  }
  const tools = [
    { name: 'f', description: 'd', parameters },
    { name: 'g', parameters: { type: 'object', properties: {} } },
  ]
  assert.equal(encoded({ tools }).tools, [
    { functionDeclarations: [{ name: 'f', description: 'd', parametersJsonSchema: parameters }, { name: 'g' }] },
  ])
  assert.equal(encoded({ tools }, 'gemini-2.0-flash').tools, [
    {
      functionDeclarations: [
        {
          name: 'f',
          description: 'd',
          parameters: { type: 'OBJECT', properties: { n: { type: 'INTEGER', nullable: true } } },
        },
        { name: 'g' },
      ],
    },
  ])
  assert.not('tools' in encoded({ toolChoice: { mode: 'any' } }), 'no choice without tools (R11)')
})

test('a schema for an older model holds nothing that it would refuse, at any depth (R9)', () => {
  const schema = {
    $schema: 'x',
    $defs: {
      node: {
        type: 'object',
        properties: { next: { $ref: '#/$defs/node' }, kind: { const: 'leaf' } },
        additionalProperties: {},
      },
    },
    type: 'object',
    properties: {
      tree: { $ref: '#/$defs/node', description: 'the tree' },
      either: {
        oneOf: [
          { type: 'string', minLength: 1 },
          { type: 'number', multipleOf: 2 },
        ],
      },
      maybe: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      both: {
        allOf: [{ properties: { a: { type: 'string' } } }, { properties: { b: { type: 'string' } }, required: ['b'] }],
      },
      many: { type: 'array', items: { type: ['string', 'integer'], examples: [1] } },
      level: { enum: [1, 2, null] },
    },
    patternProperties: { '^x': {} },
    required: ['tree'],
  }
  const { generationConfig } = encoded({ responseFormat: { type: 'schema', schema } }, 'gemini-2.0-flash')
  const { responseSchema, responseMimeType } = generationConfig as JsonObject
  assert.is(responseMimeType, 'application/json')
  const allowed =
    /^(type|format|title|description|nullable|default|enum|items|minItems|maxItems|properties|propertyOrdering|required|minProperties|maxProperties|minimum|maximum|minLength|maxLength|pattern|anyOf)$/
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if (Array.isArray(value)) {
      for (const one of value) walk(one)
      return
    }
    for (const [key, inner] of Object.entries(value)) {
      assert.match(key, allowed)
      for (const one of key === 'properties' ? Object.values(inner as JsonObject) : [inner]) walk(one)
    }
  }
  walk(responseSchema)
  const { properties } = responseSchema as { properties: Record<string, JsonObject> }
  assert.is(properties.tree?.description, 'the tree')
  assert.equal(properties.either, { anyOf: [{ minLength: 1, type: 'STRING' }, { type: 'NUMBER' }] })
  assert.equal(properties.maybe, { type: 'BOOLEAN', nullable: true })
  assert.equal(properties.both, {
    required: ['b'],
    type: 'OBJECT',
    properties: { a: { type: 'STRING' }, b: { type: 'STRING' } },
  })
  assert.equal(properties.many, { type: 'ARRAY', items: { anyOf: [{ type: 'STRING' }, { type: 'INTEGER' }] } })
  assert.equal(properties.level, { enum: ['1', '2'], type: 'STRING', nullable: true })
})

test('a choice of tools is said in the words of this format', () => {
  const tools = [{ name: 'f' }, { name: 'g' }]
  const choice = (toolChoice: Chat['toolChoice'], strict = false) => {
    const body = encoded({ tools: strict ? [{ name: 'f', strict }] : tools, ...(toolChoice && { toolChoice }) })
    const { toolConfig } = body as { toolConfig?: { functionCallingConfig: unknown } }
    return toolConfig?.functionCallingConfig
  }
  assert.is(choice(undefined), undefined)
  assert.equal(choice({ mode: 'auto' }), { mode: 'AUTO' })
  assert.equal(choice({ mode: 'none' }), { mode: 'NONE' })
  assert.equal(choice({ mode: 'any' }), { mode: 'ANY' })
  assert.equal(choice({ mode: 'named', names: ['g'] }), { mode: 'ANY', allowedFunctionNames: ['g'] })
  assert.equal(choice(undefined, true), { mode: 'VALIDATED' })
  const some = encoded({ tools, toolChoice: { mode: 'auto', names: ['g'] } })
  assert.equal(some.tools, [{ functionDeclarations: [{ name: 'g' }] }])
})

test("another vendor's own tool is refused, this one's goes back as it came", () => {
  const value = { googleSearch: {} }
  assert.equal(encoded({ tools: [{ name: 'googleSearch', hosted: { format: 'generate-content', value } }] }).tools, [
    value,
  ])
  refused(() => encoded({ tools: [{ name: 'web_search', hosted: { format: 'messages', value: {} } }] }), 'tools')
})

test('an effort to think is a budget or a level, as the model has it', () => {
  const thinking = (reasoning: Chat['reasoning'], model: string, maxOutput?: number) =>
    (configOf({ ...(reasoning && { reasoning }), ...(maxOutput && { maxOutput }) }, model) as JsonObject | undefined)
      ?.thinkingConfig
  assert.equal(thinking({ mode: 'on', effort: 'medium' }, 'gemini-2.5-flash', 10_000), {
    thinkingBudget: 3000,
    includeThoughts: true,
  })
  assert.equal(thinking({ mode: 'on', effort: 'max' }, 'gemini-2.5-pro'), {
    thinkingBudget: 32_768,
    includeThoughts: true,
  })
  assert.equal(thinking({ mode: 'on', budget: 5 }, 'gemini-2.5-pro'), { thinkingBudget: 128, includeThoughts: true })
  assert.equal(thinking({ mode: 'auto' }, 'gemini-2.5-flash'), { thinkingBudget: -1, includeThoughts: true })
  assert.equal(thinking({ mode: 'off' }, 'gemini-2.5-flash'), { thinkingBudget: 0 })
  assert.equal(thinking({ mode: 'off' }, 'gemini-2.5-pro'), { thinkingBudget: 128 })
  assert.equal(thinking({ mode: 'on', effort: 'minimal' }, 'gemini-3-flash'), {
    thinkingLevel: 'minimal',
    includeThoughts: true,
  })
  assert.equal(thinking({ mode: 'on', effort: 'minimal' }, 'gemini-3.8-flash'), {
    thinkingLevel: 'low',
    includeThoughts: true,
  })
  assert.equal(thinking({ mode: 'on', effort: 'xhigh' }, 'gemini-3-pro'), {
    thinkingLevel: 'high',
    includeThoughts: true,
  })
  assert.equal(thinking({ mode: 'on', budget: 9000 }, 'gemini-3-pro'), {
    thinkingLevel: 'medium',
    includeThoughts: true,
  })
  assert.equal(thinking({ mode: 'off' }, 'gemini-3-pro'), { thinkingLevel: 'low' })
  assert.is(thinking({ mode: 'on', effort: 'high' }, 'gemini-2.0-flash'), undefined)
  assert.is(thinking(undefined, 'gemini-3-pro'), undefined)
})

test('sampling, choices, probabilities and a schema have their fields', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } } }
  assert.equal(
    configOf({
      sampling: {
        temperature: 3,
        topP: 0.5,
        topK: 4,
        seed: 7,
        stop: ['a', ''],
        frequencyPenalty: 0.1,
        presencePenalty: 0.2,
      },
      maxOutput: 99,
      responseFormat: { type: 'schema', schema },
      wanted: { logprobs: { top: 3 } },
    }),
    {
      temperature: 2,
      topP: 0.5,
      topK: 4,
      seed: 7,
      stopSequences: ['a'],
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      maxOutputTokens: 99,
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
      responseLogprobs: true,
      logprobs: 3,
    },
  )
  assert.equal(configOf({ responseFormat: { type: 'json' } }), { responseMimeType: 'application/json' })
})

test('what this vendor has no words for names its field (D42)', () => {
  refused(() => encoded({ wanted: { audio: { voice: 'x' } } }), 'audio')
  refused(() => encoded({ wanted: { choices: 2 } }), 'n')
  refused(() => encoded({ sampling: { stop: ['a', 'b', 'c', 'd', 'e', 'f'] } }), 'stop')
  const tools = [{ name: 'f' }]
  refused(() => encoded({ tools, responseFormat: { type: 'json' } }, 'gemini-2.5-flash'), 'response_format')
  assert.ok(encoded({ tools, responseFormat: { type: 'json' } }, 'gemini-3-pro'))
})

test('media have their parts, and what the model cannot be given is refused', () => {
  const parts = (block: Chat['turns'][number]['blocks'][number], model?: string) =>
    (encoded({ turns: [{ role: 'user', blocks: [block] }] }, model).contents as { parts: unknown[] }[])[0]?.parts
  assert.equal(parts({ type: 'image', source: { data: 'AA', mediaType: 'image/png' }, detail: 'high' }), [
    { inlineData: { mimeType: 'image/png', data: 'AA' }, mediaResolution: { level: 'MEDIA_RESOLUTION_HIGH' } },
  ])
  assert.equal(parts({ type: 'image', source: { url: 'https://example.org/a.JPG?x=1' } }), [
    { fileData: { fileUri: 'https://example.org/a.JPG?x=1', mimeType: 'image/jpeg' } },
  ])
  assert.equal(parts({ type: 'audio', source: { data: 'AA', mediaType: 'audio/mpeg' } }), [
    { inlineData: { mimeType: 'audio/mp3', data: 'AA' } },
  ])
  const data = Buffer.from('plain').toString('base64')
  assert.equal(parts({ type: 'document', source: { data, mediaType: 'text/plain' }, title: 'a.txt' }), [
    { text: 'a.txt\n\nplain' },
  ])
  refused(() => parts({ type: 'image', source: { url: 'https://example.org/a.png' } }, 'gemini-2.0-flash'), 'messages')
  refused(() => parts({ type: 'document', source: { fileId: 'file-abc' } }), 'messages')
})

test('a picture in a result stays in it, or follows it where the model takes none there (R7)', () => {
  const turns: Chat['turns'] = [
    { role: 'user', blocks: [{ type: 'text', text: 'Look' }] },
    { role: 'assistant', blocks: [{ type: 'tool_call', id: 'a', name: 'shot', args: '{}' }] },
    {
      role: 'user',
      blocks: [
        {
          type: 'tool_result',
          id: 'a',
          blocks: [{ type: 'image', source: { data: 'AA', mediaType: 'image/png' } }],
          isError: false,
        },
      ],
    },
  ]
  const image = { inlineData: { mimeType: 'image/png', data: 'AA' } }
  const last = (model: string) => (encoded({ turns }, model).contents as { parts: unknown[] }[]).at(-1)?.parts
  const response = { output: '(the result is a file)' }
  assert.equal(last('gemini-3-pro'), [{ functionResponse: { id: 'a', name: 'shot', response, parts: [image] } }])
  assert.equal(last('gemini-2.5-pro'), [
    { functionResponse: { id: 'a', name: 'shot', response } },
    { text: 'The result of call a:' },
    image,
  ])
})

test('models without system text get it before the first words of the user', () => {
  const { contents, systemInstruction } = encoded({ system: ['Be brief.'] }, 'gemma-3-27b-it')
  assert.is(systemInstruction, undefined)
  assert.equal(contents, [{ role: 'user', parts: [{ text: 'Be brief.' }, { text: 'Hi' }] }])
})

// --- answers

const usageMetadata = {
  promptTokenCount: 90,
  toolUsePromptTokenCount: 10,
  cachedContentTokenCount: 40,
  candidatesTokenCount: 18,
  thoughtsTokenCount: 12,
  totalTokenCount: 130,
}

test('usage is counted once: thoughts belong to the answer, what a cache served to the prompt (R27)', () => {
  const { usage } = generateContent.decodeAnswer({ candidates: [{ finishReason: 'STOP' }], usageMetadata })
  assert.equal(usage, { input: 100, output: 30, cacheRead: 40, reasoning: 12 })
  const completion = { id: '', model: 'm', created: 0, blocks: [], stop: { reason: 'stop' as const } }
  const written = generateContent.encodeAnswer({ ...completion, ...(usage && { usage }) }, reply)
  assert.equal(written.usageMetadata, {
    promptTokenCount: 100,
    cachedContentTokenCount: 40,
    candidatesTokenCount: 18,
    thoughtsTokenCount: 12,
    totalTokenCount: 130,
  })
})

test('each finish reason has its meaning, and each meaning its finish reason', () => {
  const stop = (finishReason: string, parts: unknown[] = [{ text: 'x' }]) =>
    generateContent.decodeAnswer({ candidates: [{ content: { parts }, finishReason }] }).stop.reason
  assert.is(stop('STOP'), 'stop')
  assert.is(stop('STOP', [{ functionCall: { name: 'f' } }]), 'tool_use')
  assert.is(stop('MAX_TOKENS'), 'length')
  for (const reason of ['SAFETY', 'RECITATION', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII', 'LANGUAGE', 'IMAGE_SAFETY'])
    assert.is(stop(reason), 'filtered')
  assert.is(stop('OTHER'), 'unknown')
  // Never to be kept, and its call never to be run.
  assert.is(stop('MALFORMED_FUNCTION_CALL', [{ functionCall: { name: 'f' } }]), 'unknown')
  const written = (reason: 'stop' | 'length' | 'context' | 'filtered' | 'refusal' | 'paused' | 'unknown') => {
    const { candidates } = generateContent.encodeAnswer(
      { id: '', model: 'm', created: 0, blocks: [{ type: 'text', text: 'x' }], stop: { reason } },
      reply,
    )
    return (candidates as JsonObject[])[0]?.finishReason
  }
  assert.equal((['stop', 'length', 'context', 'filtered', 'refusal', 'paused', 'unknown'] as const).map(written), [
    'STOP',
    'MAX_TOKENS',
    'MAX_TOKENS',
    'SAFETY',
    'SAFETY',
    'STOP',
    'OTHER',
  ])
})

test('a blocked prompt is an answer that was filtered, no candidate at all is none', () => {
  const blocked = generateContent.decodeAnswer({ promptFeedback: { blockReason: 'SAFETY' }, modelVersion: 'm' })
  assert.equal([blocked.blocks, blocked.stop], [[], { reason: 'filtered' }])
  assert.throws(() => generateContent.decodeAnswer({ usageMetadata }))
})

test('calls are told apart whether the vendor names them or not (R2)', () => {
  const answer = (id?: string) =>
    generateContent.decodeAnswer({
      responseId: 'resp/1',
      candidates: [
        {
          content: { parts: [{ functionCall: { ...(id && { id }), name: 'f' } }, { functionCall: { name: 'f' } }] },
          finishReason: 'STOP',
        },
      ],
    })
  const ids = (made: ReturnType<typeof answer>) => made.blocks.map(block => block.type === 'tool_call' && block.id)
  assert.is(new Set(ids(answer())).size, 2)
  assert.equal(ids(answer()), ids(answer()), 'the same answer always has the same ids')
  assert.is(ids(answer('own'))[0], 'own')
  const [first] = answer().blocks
  assert.is(first?.type === 'tool_call' && first.args, '{}')
  const shown = JSON.stringify(generateContent.encodeAnswer(answer(), reply))
  assert.not.match(shown, 'call_gc', 'an id that we made is not shown to a client that knows none')
})

test('calls of an answer without an id get ids that no other answer has, and that no vendor or client is shown', () => {
  const parts = [{ functionCall: { name: 'f' } }, { functionCall: { name: 'f' } }]
  const answers = [1, 2].map(() =>
    generateContent.decodeAnswer({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }),
  )
  const ids = answers.flatMap(({ blocks }) => blocks.flatMap(block => (block.type === 'tool_call' ? [block.id] : [])))
  assert.is(new Set(ids).size, 4)
  for (const answer of answers) assert.not.match(JSON.stringify(generateContent.encodeAnswer(answer, reply)), 'call_')
})

test('numbers that no double can hold survive a call', () => {
  const blocks = [{ type: 'tool_call' as const, id: 'a', name: 'f', args: '{"n":12345678901234567890}' }]
  const { contents } = encoded({ turns: [{ role: 'assistant', blocks }] })
  assert.match(exactJson(contents), '"args":{"n":12345678901234567890}')
})

test('where an answer comes from, and how likely its tokens are, is kept', () => {
  const text = 'Zürich is big. Oslo is not.'
  const candidate = {
    content: { parts: [{ text }], role: 'model' },
    finishReason: 'STOP',
    groundingMetadata: {
      groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }, { web: { uri: 'https://b.example' } }],
      groundingSupports: [
        { segment: { endIndex: 15, text: 'Zürich is big.' }, groundingChunkIndices: [0, 1] },
        { segment: { startIndex: 16, endIndex: 28 }, groundingChunkIndices: [1] },
      ],
    },
    logprobsResult: {
      chosenCandidates: [{ token: text, logProbability: -0.5 }],
      topCandidates: [
        {
          candidates: [
            { token: text, logProbability: -0.5 },
            { token: 'No', logProbability: -1 },
          ],
        },
      ],
    },
  }
  const completion = generateContent.decodeAnswer({ candidates: [candidate] })
  const [block] = completion.blocks
  if (block?.type !== 'text') return assert.unreachable()
  assert.equal(block.citations, [
    { url: 'https://a.example', title: 'A', start: 0, end: 14 },
    { url: 'https://b.example', start: 0, end: 14 },
    { url: 'https://b.example', start: 15, end: 27 },
  ])
  assert.equal(block.logprobs, [
    {
      token: text,
      logprob: -0.5,
      top: [
        { token: text, logprob: -0.5 },
        { token: 'No', logprob: -1 },
      ],
    },
  ])
  const [written] = generateContent.encodeAnswer(completion, reply).candidates as JsonObject[]
  assert.equal(written?.logprobsResult, candidate.logprobsResult)
  assert.equal(generateContent.decodeAnswer({ candidates: [written] }).blocks, completion.blocks)
})

test('what the canonical shape has no place for is named', () => {
  const lost = (more: JsonObject) =>
    generateContent.decodeAnswer({
      candidates: [{ content: { parts: [{ text: 'x' }] }, finishReason: 'STOP', ...more }],
    }).unmodelled
  assert.is(lost({ safetyRatings: [{ category: 'x', probability: 'LOW' }], avgLogprobs: -1 }), undefined)
  assert.equal(lost({ urlContextMetadata: { urlMetadata: [] } }), ['pages that were read'])
  assert.equal(lost({ groundingMetadata: { webSearchQueries: ['q'] } }), ['search queries'])
  const two = {
    candidates: [0, 1].map(index => ({ index, content: { parts: [{ text: 'x' }] }, finishReason: 'STOP' })),
  }
  assert.equal(generateContent.decodeAnswer(two).unmodelled, ['a second choice'])
  assert.is(generateContent.decodeAnswer(two).others?.length, 1)
})

test('a stored answer is given again under a new id, every other byte the same', () => {
  const bytes = Buffer.from('{"candidates":[ {"x":1} ],"responseId" : "old","new":[1]}')
  assert.is(
    Buffer.from(generateContent.reissue(bytes, reply)).toString(),
    '{"candidates":[ {"x":1} ],"responseId" : "r1","new":[1]}',
  )
})

// --- errors

test('errors have the status words of the dialect, with the field and the wait as details', () => {
  const told = (error: GatewayError) => (generateContent.encodeError(error, 'id').error ?? {}) as JsonObject
  assert.equal(told(new GatewayError('bad_request', 'no', { param: 'contents' })), {
    code: 400,
    message: 'no',
    status: 'INVALID_ARGUMENT',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'contents', description: 'no' }],
      },
    ],
  })
  assert.is(told(new GatewayError('unauthorized', 'no')).status, 'UNAUTHENTICATED')
  assert.is(told(new GatewayError('upstream_timeout', 'no')).status, 'DEADLINE_EXCEEDED')
  const spent = new GatewayError('rate_limited', 'no', { vendor: { class: 'billing' }, retryable: false })
  assert.equal(told(spent), { code: 429, message: 'no', status: 'RESOURCE_EXHAUSTED' })
  const limited = told(new GatewayError('rate_limited', 'no', { retryAfterSecs: 7 }))
  assert.is(limited.status, 'RESOURCE_EXHAUSTED')
  assert.equal(limited.details, [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }])
})

// --- counts

test('a count is asked of contents alone, or of the whole request that is meant', () => {
  const whole = { systemInstruction: { parts: [{ text: 'Be brief.' }] }, contents: [asked] }
  assert.equal(countContent.decodePrompt({ generateContentRequest: whole }), generateContent.decodePrompt(whole))
  assert.equal(countContent.decodePrompt({ contents: [asked] }).system, [])
  assert.equal(countContent.encodeCount(7), { totalTokens: 7 })
})

test.run()
