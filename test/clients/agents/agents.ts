import { join } from 'node:path'

/** What an agent is given for its task. */
export interface Place {
  /** Of the gateway, without a path. */
  readonly url: string
  /** Its HOME, empty at first. */
  readonly home: string
  /** The folder in which it works. */
  readonly work: string
  readonly prompt: string
}

interface Call {
  readonly name: string
  readonly arguments: object
}

interface Program {
  readonly name: string
  readonly dialect: string
  readonly version: string
  /** Its program, from the folder of its packages. Programs that a script of a package would put in place are started where they lie. */
  readonly program: readonly string[]
  args(place: Place): readonly string[]
  env?(place: Place): Readonly<Record<string, string>>
  /** Files of its HOME. */
  files?(place: Place): Readonly<Record<string, string>>
}

interface WithTools extends Program {
  /** What a model calls to read a file, and to write one. */
  read(path: string): Call
  write(path: string, content: string): Call
}

interface WithoutTools extends Program {
  /** What a model says to write a file. */
  says(file: string, content: string): string
}

export type Agent = WithTools | WithoutTools

export const NODE_PACKAGES = {
  '@anthropic-ai/claude-code': '2.1.330',
  '@google/gemini-cli': '0.61.0',
  '@openai/codex': '0.169.0',
  '@qwen-code/qwen-code': '0.24.4',
  'opencode-ai': '1.18.33',
} as const

export const PYTHON_PACKAGES = { 'aider-chat': '0.86.2' } as const

const MODEL = 'stub-model'
const KEY = 'any-key'
const NATIVE = `${process.platform}-${process.arch}`

/** Of npm. */
export const NODE_AGENTS: readonly Agent[] = [
  {
    name: '@anthropic-ai/claude-code',
    version: NODE_PACKAGES['@anthropic-ai/claude-code'],
    dialect: 'messages',
    program: [`@anthropic-ai/claude-code-${NATIVE}/claude`],
    args: ({ prompt }) => [
      '-p',
      prompt,
      '--model',
      MODEL,
      '--allowedTools',
      'Read,Write',
      '--permission-mode',
      'acceptEdits',
    ],
    env: ({ url }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: KEY,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    }),
    read: path => ({ name: 'Read', arguments: { file_path: path } }),
    write: (path, content) => ({ name: 'Write', arguments: { file_path: path, content } }),
  },
  {
    name: '@openai/codex',
    version: NODE_PACKAGES['@openai/codex'],
    dialect: 'responses',
    program: [process.execPath, '@openai/codex/bin/codex.js'],
    args: ({ prompt }) => ['exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
    env: ({ home }) => ({ GATEWAY_KEY: KEY, CODEX_HOME: join(home, '.codex') }),
    files: ({ url }) => ({
      '.codex/config.toml': [
        `model = "${MODEL}"`,
        'model_provider = "gateway"',
        'check_for_update_on_startup = false',
        // A search by the vendor is a tool that only vendors of this format have.
        'web_search = "disabled"',
        '[model_providers.gateway]',
        'name = "gateway"',
        `base_url = "${url}/v1"`,
        'env_key = "GATEWAY_KEY"',
        'wire_api = "responses"',
      ].join('\n'),
    }),
    read: path => ({ name: 'exec_command', arguments: { cmd: `cat ${path}` } }),
    write: (path, content) => ({ name: 'exec_command', arguments: { cmd: `printf %s '${content}' > ${path}` } }),
  },
  {
    name: '@google/gemini-cli',
    version: NODE_PACKAGES['@google/gemini-cli'],
    dialect: 'generate-content',
    program: [process.execPath, '@google/gemini-cli/bundle/gemini.js'],
    args: ({ prompt }) => ['-p', prompt, '-m', MODEL, '--approval-mode', 'yolo', '--skip-trust'],
    env: ({ url }) => ({ GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' }),
    files: () => ({
      '.gemini/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
      }),
    }),
    read: path => ({ name: 'read_file', arguments: { file_path: path } }),
    write: (path, content) => ({ name: 'write_file', arguments: { file_path: path, content } }),
  },
  {
    name: 'opencode-ai',
    version: NODE_PACKAGES['opencode-ai'],
    dialect: 'chat-completions',
    program: [`opencode-${NATIVE}/bin/opencode`],
    args: ({ prompt }) => ['run', '--model', `gateway/${MODEL}`, prompt],
    env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
    files: ({ url }) => ({
      '.config/opencode/opencode.json': JSON.stringify({
        model: `gateway/${MODEL}`,
        small_model: `gateway/${MODEL}`,
        autoupdate: false,
        share: 'disabled',
        permission: 'allow',
        provider: {
          gateway: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: KEY },
            models: { [MODEL]: {} },
          },
        },
      }),
    }),
    read: path => ({ name: 'read', arguments: { filePath: path } }),
    write: (path, content) => ({ name: 'write', arguments: { filePath: path, content } }),
  },
  {
    name: '@qwen-code/qwen-code',
    version: NODE_PACKAGES['@qwen-code/qwen-code'],
    dialect: 'chat-completions',
    program: [process.execPath, '@qwen-code/qwen-code/cli-entry.js'],
    args: ({ prompt }) => ['-p', prompt, '--approval-mode', 'yolo'],
    env: ({ url }) => ({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: MODEL }),
    files: () => ({
      '.qwen/settings.json': JSON.stringify({
        security: { auth: { selectedType: 'openai' } },
        model: { name: MODEL },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
        telemetry: { enabled: false },
      }),
    }),
    read: path => ({ name: 'read_file', arguments: { file_path: path } }),
    write: (path, content) => ({ name: 'write_file', arguments: { file_path: path, content } }),
  },
]

/** Of PyPI. */
export const PYTHON_AGENTS: readonly Agent[] = [
  {
    name: 'aider-chat',
    version: PYTHON_PACKAGES['aider-chat'],
    dialect: 'chat-completions',
    program: ['aider'],
    args: ({ prompt }) => [
      ...['--model', `openai/${MODEL}`, '--edit-format', 'whole', '--message', prompt, 'secret.txt'],
      ...['--no-git', '--yes-always', '--no-pretty', '--no-show-model-warnings', '--no-show-release-notes'],
      ...['--no-check-update', '--analytics-disable'],
    ],
    env: ({ url }) => ({ OPENAI_API_KEY: KEY, OPENAI_API_BASE: `${url}/v1` }),
    says: (file, content) => `${file}\n\`\`\`\n${content}\n\`\`\`\n`,
  },
]
