import type { Agent } from './agent.ts'

/** Two runs differ in the ids of calls alone, which count by their order in every key. */
export const geminiCli: Agent = { name: 'gemini-cli', headers: { 'user-agent': /^GeminiCLI\b/ } }
