import type { Agent } from './agent.ts'
import { claudeCode } from './claude-code.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { geminiCli } from './gemini-cli.ts'
import { kilo } from './kilo.ts'
import { opencode } from './opencode.ts'
import { qwenCode } from './qwen-code.ts'

export const AGENTS: readonly Agent[] = [claudeCode, codex, copilot, geminiCli, kilo, opencode, qwenCode]
