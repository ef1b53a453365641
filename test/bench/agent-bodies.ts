/**
 * Conversations as coding agents send them: long instructions and many tools, all of it again with each turn, files that
 * are read twice, and side calls. The shapes were recorded; every word is ours.
 */

export interface AgentSession {
  readonly name: string
  readonly format: 'chat-completions' | 'messages' | 'responses' | 'generate-content'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The bodies of one conversation, each with all that was said before. */
  readonly turns: readonly object[]
  /** What the agent asks beside it: titles, topics. */
  readonly side: readonly object[]
}

const RULES = [
  'Read a file before you change it, and change no more of it than the task asks for.',
  'Never delete a test because it fails; find out what it says about the code first.',
  'Prefer the tools of the project over your own scripts, and say which one you used.',
  'When a command may destroy work, ask before you run it, and name what would be lost.',
  'Keep answers short: what changed, why, and what is still open.',
  'Do not guess names of functions; search for them, then cite file and line.',
  'Write commit messages as one sentence that says what is now true.',
  'If two instructions contradict each other, the one of the user counts.',
  'Secrets in files and in output are never repeated, not even in part.',
  'A task is done when its tests pass and the diff was read once more from top to bottom.',
]
const TOPICS = ['Editing', 'Testing', 'Searching', 'Shell commands', 'Version control', 'Answers', 'Planning', 'Safety']

/** Instructions of about so many characters, as vendors ship them: no comments, no decoration. */
function manual(size: number, seed: number): string {
  let text = 'You are a coding agent. You work in the folder of a user and have tools.\n'
  for (let section = 0; text.length < size; section++) {
    text += `\n## ${TOPICS[(section + seed) % TOPICS.length]} (${section + 1})\n\n`
    for (let rule = 0; rule < 8; rule++)
      text += `- ${RULES[(section * 3 + rule * seed) % RULES.length]} (${section}.${rule})\n`
    if (section % 3 === 1) text += '\n```yaml\n---\nname: example\n\n\nsteps: [read, change, test]\n---\n```\n'
    if (section % 4 === 2)
      text += '\n<example>\nuser: where is the parser?\n\n\nagent: src/parse.ts, line 40.\n</example>\n'
  }
  return text
}

/** A rules file as people write it by hand. */
const HOUSE_RULES = `<!-- Maintained by the platform team. Ask in #platform before you change this file. -->

# House rules


---

## Code

- Node 20, ES modules, strict TypeScript.
- No default exports but for plugins.


<!-- TODO: say more about errors
     once the new error type is there -->

## Tests

Every change has a test that failed before. Tests never sleep; time is passed in.



═══════════════════════════

## Git

- Small commits; the subject says what is now true.
- Never push to main by force.

---

Questions go to the owners of the folder, who are named in CODEOWNERS.
`

const tool = (at: number): { name: string; description: string; parameters: object } => ({
  name: `tool_${at}`,
  description: `${RULES[at % RULES.length]} ${RULES[(at + 3) % RULES.length]}`.repeat(4),
  parameters: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Where to look.' }, limit: { type: 'integer' } },
    required: ['path'],
  },
})
const TOOLS = Array.from({ length: 12 }, (_, at) => tool(at))

/** The listing of a file, which an agent reads again after a while. */
const file = (name: string): string =>
  Array.from({ length: 60 }, (_, line) => `${line + 1}\texport const ${name}${line} = (value) => value + ${line}`).join(
    '\n',
  )

interface Step {
  readonly id: string
  readonly tool: string
  readonly result: string
}
/** Every third step reads what was read before. */
const STEPS: readonly Step[] = Array.from({ length: 9 }, (_, at) => ({
  id: `call_${at}`,
  tool: at % 3 === 2 ? 'tool_1' : `tool_${at % 5}`,
  result:
    at % 3 === 2
      ? file('parse')
      : at % 3 === 0
        ? file(at === 0 ? 'parse' : `part${at}`)
        : `ok ${at}: 12 passed, 0 failed`,
}))
const TASK = 'Find out why the parser drops the last line, and mend it.'
const TITLE = 'Write a title of at most six words for this task. Answer with the title alone.'

const TURNS = [...STEPS.keys(), STEPS.length]

/** The same conversation after each step, in a client's own words. */
const chatTurns = (system: string, again?: string): object[] =>
  TURNS.map(steps => ({
    model: 'm',
    stream: true,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: TASK },
      ...STEPS.slice(0, steps).flatMap(({ id, tool, result }) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: tool, arguments: '{"path":"src"}' } }],
        },
        { role: 'tool', tool_call_id: id, content: result },
        ...(again === undefined ? [] : [{ role: 'system', content: again }]),
      ]),
    ],
    tools: TOOLS.map(one => ({ type: 'function', function: one })),
  }))

const chatSide = [
  {
    model: 'm',
    stream: true,
    messages: [
      { role: 'system', content: TITLE },
      { role: 'user', content: TASK },
    ],
  },
]

function messagesTurns(cached: boolean): object[] {
  const mark = cached ? { cache_control: { type: 'ephemeral' } } : {}
  const reminder = `# Environment\n\n- folder: /work/parser\n- date: 2026-11-23\n\n\n# Skills\n\n${RULES.map(rule => `- ${rule}`).join('\n')}\n`
  return TURNS.map(steps => {
    const said: { role: string; content: object[] }[] = [
      { role: 'user', content: [{ type: 'text', text: TASK }] },
      ...STEPS.slice(0, steps).flatMap(({ id, tool, result }) => [
        { role: 'assistant', content: [{ type: 'tool_use', id, name: tool, input: { path: 'src' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: result }] },
      ]),
    ]
    const last = said.at(-1)?.content
    if (last) last[last.length - 1] = { ...last.at(-1), ...mark }
    return {
      model: 'm',
      max_tokens: 32_000,
      stream: true,
      messages: [...said.slice(0, 1), { role: 'system', content: reminder }, ...said.slice(1)],
      system: [{ type: 'text', text: manual(6_000, 1), ...mark }],
      tools: TOOLS.map(({ name, description, parameters }) => ({ name, description, input_schema: parameters })),
    }
  })
}

const responsesTurns = (): object[] =>
  TURNS.map(steps => ({
    model: 'm',
    stream: true,
    store: false,
    prompt_cache_key: 'thread-1',
    instructions: manual(20_000, 2),
    input: [
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: HOUSE_RULES }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: TASK }] },
      ...STEPS.slice(0, steps).flatMap(({ id, tool, result }) => [
        { type: 'function_call', call_id: id, name: tool, arguments: '{"path":"src"}' },
        { type: 'function_call_output', call_id: id, output: result },
      ]),
    ],
    tools: TOOLS.map(one => ({ type: 'function', ...one })),
  }))

const contentTurns = (): object[] =>
  TURNS.map(steps => ({
    systemInstruction: { role: 'user', parts: [{ text: manual(32_000, 3) }] },
    contents: [
      { role: 'user', parts: [{ text: HOUSE_RULES }, { text: TASK }] },
      ...STEPS.slice(0, steps).flatMap(({ id, tool, result }) => [
        { role: 'model', parts: [{ functionCall: { id, name: tool, args: { path: 'src' } } }] },
        { role: 'user', parts: [{ functionResponse: { id, name: tool, response: { output: result } } }] },
      ]),
    ],
    tools: [{ functionDeclarations: TOOLS }],
  }))

/** A call that an agent makes beside its conversation, with a system text of its own. */
export interface SideCall {
  readonly name: string
  readonly format: AgentSession['format']
  readonly body: object
}

const TOPIC =
  'Does this message begin another topic than the one before? Answer with yes or no, then a title of two words.'
const ROUTE = 'Say which of the models flash and pro fits the request, as JSON.'
const MEMORY = 'Note what should be remembered of this conversation for later ones. Use the tool for each fact.'
const ROUTED = {
  type: 'object',
  properties: { model: { type: 'string', enum: ['flash', 'pro'] } },
  required: ['model'],
  additionalProperties: false,
}
const asked = (system: string): object[] => [
  { role: 'system', content: system },
  { role: 'user', content: TASK },
]

export const SIDE_CALLS: readonly SideCall[] = [
  { name: 'title', format: 'chat-completions', body: { model: 'm', stream: true, messages: asked(TITLE) } },
  {
    name: 'title by a schema',
    format: 'messages',
    body: {
      model: 'm',
      max_tokens: 60,
      system: TITLE,
      messages: [{ role: 'user', content: TASK }],
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { title: { type: 'string' } },
            required: ['title'],
            additionalProperties: false,
          },
        },
      },
    },
  },
  { name: 'topic', format: 'chat-completions', body: { model: 'm', max_tokens: 20, messages: asked(TOPIC) } },
  {
    name: 'routing',
    format: 'generate-content',
    body: {
      systemInstruction: { parts: [{ text: ROUTE }] },
      contents: [{ role: 'user', parts: [{ text: TASK }] }],
      generationConfig: { responseMimeType: 'application/json', responseJsonSchema: ROUTED },
    },
  },
  {
    name: 'memory, with tools',
    format: 'chat-completions',
    body: { model: 'm', messages: asked(MEMORY), tools: [{ type: 'function', function: TOOLS[0] }] },
  },
]

const CHAT = { format: 'chat-completions', path: '/v1/chat/completions', side: chatSide } as const

export const AGENT_SESSIONS: readonly AgentSession[] = [
  {
    name: 'marks its cache itself',
    format: 'messages',
    path: '/v1/messages',
    headers: { 'x-session-id': 'a1' },
    turns: messagesTurns(true),
    side: [{ model: 'm', max_tokens: 60, system: TITLE, messages: [{ role: 'user', content: TASK }] }],
  },
  {
    name: 'marks nothing',
    format: 'messages',
    path: '/v1/messages',
    headers: {},
    turns: messagesTurns(false),
    side: [{ model: 'm', max_tokens: 60, system: TITLE, messages: [{ role: 'user', content: TASK }] }],
  },
  {
    name: 'rules of a developer',
    format: 'responses',
    path: '/v1/responses',
    headers: { 'x-session-id': 'c1' },
    turns: responsesTurns(),
    side: [],
  },
  {
    name: 'rules of a user',
    format: 'generate-content',
    path: '/v1beta/models/m:generateContent',
    headers: {},
    turns: contentTurns(),
    side: [],
  },
  { ...CHAT, name: "a vendor's manual alone", headers: { 'x-session-id': 'd1' }, turns: chatTurns(manual(12_000, 4)) },
  {
    ...CHAT,
    name: 'three rules files that are one',
    headers: {},
    turns: chatTurns(`${manual(20_000, 5)}\n${[1, 2, 3].map(() => HOUSE_RULES).join('\n')}`),
  },
  {
    ...CHAT,
    name: 'rules again with each step',
    headers: { 'x-session-id': 'f1' },
    turns: chatTurns(HOUSE_RULES, HOUSE_RULES),
  },
]
